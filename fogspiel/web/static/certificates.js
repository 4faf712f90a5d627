// A certificate is uploaded as it is, and checked by the server in a process of its own.

import { follow, showCheck, upload } from "./checks.js";
import { byId } from "./service.js";

const form = byId("upload");
const button = form.querySelector("button");

form.addEventListener("submit", async (event) => {
  event.preventDefault();
  const file = byId("file").files[0];
  if (!file) return showCheck("Choose a file first.", false);
  if (file.size > Number(form.dataset.most)) return showCheck("The file is too large for this page: check it with `fogspiel verify FILE`.", false);
  button.disabled = true;
  showCheck(`${file.name} is being checked ..`, null);
  try {
    await follow(await upload(file));
  } catch (error) {
    showCheck(error.message, false);
  }
  button.disabled = false;
});
button.disabled = false;
