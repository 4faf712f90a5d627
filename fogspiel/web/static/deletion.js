// Deleting a run, after a question.

import { ask, byId } from "./service.js";

// Ask whether a run shall be deleted, and do so; `onGone` is called when it is gone, `onTrouble` with what stands against it.
export function askToDelete(run, onGone, onTrouble) {
  const dialog = byId("deletion");
  byId("delete-not").onclick = () => dialog.close();
  byId("delete-surely").onclick = async () => {
    try {
      await ask(`/api/runs/${encodeURIComponent(run)}/delete`, {});
      dialog.close();
      onGone();
    } catch (error) {
      onTrouble(error.message, dialog);
    }
  };
  dialog.showModal();
  byId("delete-not").focus();
}
