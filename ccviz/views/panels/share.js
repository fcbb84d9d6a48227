// Texts to copy: each with its heading, what it is for, and a button; a click selects the whole.
function select(node) {
  const range = document.createRange()
  range.selectNodeContents(node)
  const selection = window.getSelection()
  selection.removeAllRanges()
  selection.addRange(range)
}

// Only pages from this computer, or with https, may write to the clipboard by themselves.
async function copy(pre) {
  if (navigator.clipboard) return navigator.clipboard.writeText(pre.textContent)
  select(pre)
  document.execCommand("copy")
}

function element(name, text) {
  const node = document.createElement(name)
  node.textContent = text
  return node
}

function block({title, about, text, sound, word}, drop) {
  const head = document.createElement("header")
  head.append(element("h2", title))
  const content = element(sound ? "pre" : "p", text)
  if (!sound) return [head, content]
  const button = element("button", "Copy")
  button.setAttribute("aria-label", `Copy: ${title}`)
  button.addEventListener("click", async () => {
    await copy(content)
    button.textContent = "Copied"
    window.setTimeout(() => { button.textContent = "Copy" }, 1500)
  })
  head.append(button)
  if (word) {
    head.firstChild.className = "given"
    const away = element("button", "Delete")
    away.setAttribute("aria-label", `Delete: ${title}`)
    away.addEventListener("click", () => drop(title, word))
    head.append(away)
  }
  return [head, element("p", about), content]
}

export function render({model}) {
  const box = document.createElement("div")
  const drop = (title, word) => {
    if (window.confirm(`Delete the address of ${title}? It opens nothing then.`)) model.send_msg(word)
  }
  const draw = () => box.replaceChildren(...model.blocks.flatMap((each) => block(each, drop)))
  draw()
  model.on("blocks", draw)
  return box
}
