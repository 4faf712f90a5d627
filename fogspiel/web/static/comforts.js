// A box that a person ticks or not, remembered by this browser.

export function keepChoice(box, storage, usual, onChange) {
  let kept = null;
  try {
    kept = localStorage.getItem(storage);
  } catch {
    // what cannot be remembered is as usual
  }
  box.checked = kept === null ? usual : kept === "on";
  box.addEventListener("change", () => {
    try {
      localStorage.setItem(storage, box.checked ? "on" : "off");
    } catch {
      // it holds for this page
    }
    onChange(box.checked);
  });
  onChange(box.checked);
}
