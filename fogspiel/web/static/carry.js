/* Carrying: a figure follows the pointer until it is let go; a short way is a click and carries nothing. */

const SHORT = 6; // pixels

/* begin() is called when it becomes a drag, drop(element) with what lies under the pointer in the end, or with null. */
export function carry(event, figure, size, begin, drop) {
  const [x, y] = [event.clientX, event.clientY];
  let moving = false;
  const move = (now) => {
    if (!moving && Math.hypot(now.clientX - x, now.clientY - y) < SHORT) return;
    if (!moving) {
      moving = true;
      figure.classList.add("carried");
      figure.style.setProperty("width", `${size}px`);
      document.body.append(figure);
      begin();
    }
    figure.style.setProperty("transform", `translate(${now.clientX - size / 2}px, ${now.clientY - size / 2}px)`);
  };
  const end = (now) => {
    document.removeEventListener("pointermove", move);
    document.removeEventListener("pointerup", end);
    document.removeEventListener("pointercancel", end);
    figure.remove();
    if (moving) drop(now.type === "pointerup" ? document.elementFromPoint(now.clientX, now.clientY) : null);
  };
  document.addEventListener("pointermove", move);
  document.addEventListener("pointerup", end);
  document.addEventListener("pointercancel", end);
}
