// Three choices. The field for files is another widget's: a choice presses its button, wherever that is.
function browse(root) {
  const input = root.querySelector(".drop-zone input")
  if (input) return input
  for (const node of root.querySelectorAll("*")) {
    const found = node.shadowRoot && browse(node.shadowRoot)
    if (found) return found
  }
  return null
}

export function render({model}) {
  const box = document.createElement("div")
  box.className = "welcome"
  box.setAttribute("role", "region")
  box.setAttribute("aria-label", "Where to begin")
  box.innerHTML = html`<p>${model.words}</p><div><button class="primary" data-choice="try">Try it</button>
    <button data-choice="lesson">A lesson</button><button data-choice="table" title="Choose a file, or press Ctrl+V anywhere to paste the cells of a spreadsheet">Open or paste a table</button><small>or press Ctrl+V</small></div>`.text
  box.addEventListener("click", ({target}) => {
    const {choice} = target.dataset
    if (choice === "table") browse(document)?.click()
    else if (choice) model.send_msg(choice)
  })
  model.on("words", () => { box.querySelector("p").textContent = model.words })
  return box
}
