// Three doors. The field for files is another widget's: a door presses its button, wherever that is.
function browse(root) {
  const input = root.querySelector("input.filepond--browser")
  if (input) return input
  for (const node of root.querySelectorAll("*")) {
    const found = node.shadowRoot && browse(node.shadowRoot)
    if (found) return found
  }
  return null
}

export function render({model}) {
  const box = document.createElement("div")
  box.className = "doors"
  box.setAttribute("role", "region")
  box.setAttribute("aria-label", "Where to begin")
  box.innerHTML = html`<p>${model.words}</p><div><button class="primary" data-door="try">Try it</button>
    <button data-door="lesson">A lesson</button><button data-door="table">Your table</button></div>`.text
  box.addEventListener("click", ({target}) => {
    const {door} = target.dataset
    if (door === "table") browse(document)?.click()
    else if (door) model.send_msg(door)
  })
  return box
}
