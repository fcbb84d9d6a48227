// Keys shared by the page and the notebook cell; each script says which of them it acts on.
function typing(event) {
  const target = event.composedPath()[0]
  return target instanceof Element && target.matches("input, select, textarea, [contenteditable], .noUi-handle")
}

function keyOf(event) {
  const key = event.key.toLowerCase()
  if (key === "z" && event.shiftKey) return "y"
  return key
}

// Returns the key if it is one of `keys` and the focused element has no use for it; else null.
function pressedKey(event, keys) {
  const key = keyOf(event)
  if (!keys.has(key) || typing(event) || event.altKey) return null
  if ((event.ctrlKey || event.metaKey) && event.key.toLowerCase() !== "z") return null
  const target = event.composedPath()[0]
  if (event.key === " " && target instanceof Element && target.matches("button, a")) return null
  return key
}
