// Light or dark, as this browser was told or as the machine is; read before the page is painted.
try {
  const theme = localStorage.getItem("fogspiel.theme");
  if (theme === "light" || theme === "dark") document.documentElement.dataset.theme = theme;
} catch {
  // a browser that keeps nothing follows the machine
}
