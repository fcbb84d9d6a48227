// Keys in a notebook cell: they act on the laboratory that has the focus, and on nothing around it.
const KEYS = new Set(["m", "c", "h", "a", "u", "z", "y", "escape", " ", "arrowleft", "arrowright", "?"])

// JupyterLab and Notebook 7 look here, from the focused element upwards, before they take a key for
// a command of theirs such as "m", which turns the cell into Markdown.
const NO_SHORTCUTS = "data-lm-suppress-shortcuts"

function isOurs(event) {
  return !(event.ctrlKey || event.metaKey) || event.key.toLowerCase() === "z"
}

export function render({model, view}) {
  const root = view.root.el
  root.tabIndex = -1  // a click anywhere in the laboratory brings the keyboard to it
  root.style.outline = "none"
  // Ctrl+S, Ctrl+Enter and their like stay JupyterLab's, which listens in the capture phase of the
  // document: the attribute is set or taken away just before, in that of the window.
  const claim = (event) => {
    if (event.composedPath().includes(root)) root.toggleAttribute(NO_SHORTCUTS, isOurs(event))
  }
  const press = (event) => {
    if (!isOurs(event)) return
    event.stopPropagation()  // other notebooks listen in the bubbling phase
    const key = pressedKey(event, KEYS)
    if (key === null) return
    event.preventDefault()
    model.send_msg(key)
  }
  const take = () => {
    if (root.getRootNode().activeElement !== root) root.focus({preventScroll: true})
  }
  window.addEventListener("keydown", claim, {capture: true})
  root.addEventListener("keydown", press)
  root.addEventListener("click", take)
  model.on("remove", () => window.removeEventListener("keydown", claim, {capture: true}))
  return document.createElement("span")
}
