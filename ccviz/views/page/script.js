// What only the browser knows: keys, and the theme of the page around the panels.
const KEYS = new Set(["m", "c", "h", "a", "u", "p", "z", "y", "escape", " ", "arrowleft", "arrowright", "?", "1", "2", "3", "4", "5", "6"])

function typing(event) {
  const target = event.composedPath()[0]
  return target instanceof Element && target.matches("input, select, textarea, [contenteditable], .noUi-handle")
}

function keyOf(event) {
  const key = event.key.toLowerCase()
  if (key === "z" && event.shiftKey) return "y"
  return key
}

export function render({model}) {
  const paint = () => { document.documentElement.dataset.theme = model.dark ? "dark" : "light" }
  const press = (event) => {
    if (!KEYS.has(keyOf(event)) || typing(event) || event.altKey) return
    if ((event.ctrlKey || event.metaKey) && event.key.toLowerCase() !== "z") return
    const target = event.composedPath()[0]
    if (event.key === " " && target instanceof Element && target.matches("button, a")) return
    event.preventDefault()
    model.send_msg(keyOf(event))
  }
  paint()
  model.on("dark", paint)
  document.addEventListener("keydown", press)
  model.on("remove", () => document.removeEventListener("keydown", press))
  return document.createElement("span")
}
