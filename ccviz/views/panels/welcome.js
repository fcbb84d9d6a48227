// Three choices, or what is to be seen in an example, with a button that puts it away. The field for files is another widget's: a choice presses its button, wherever that is.
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
  box.innerHTML = html`<p aria-live="polite"></p><div class="choices"><button class="primary" data-choice="try">Try it</button>
    <button data-choice="lesson">A lesson</button><button data-choice="table" title="Choose a file, or press Ctrl+V anywhere to paste the cells of a spreadsheet">Open or paste a table <kbd>Ctrl+V</kbd></button></div>
    <button class="away" data-choice="away" aria-label="Put this away">✕</button>`.text
  const draw = () => {
    const {words, narrates} = model
    box.querySelector("p").textContent = words
    box.classList.toggle("narrates", narrates)
    box.setAttribute("aria-label", narrates ? "About the example" : "Where to begin")
  }
  box.addEventListener("click", ({target}) => {
    const choice = target.closest("button")?.dataset.choice
    if (choice === "table") browse(document)?.click()
    else if (choice) model.send_msg(choice)
  })
  draw()
  for (const name of ["words", "narrates"]) model.on(name, draw)
  return box
}
