// html`<b>${name}</b>`: markup whose values are text, unless they are such markup themselves.
const SIGNS = {"&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "'": "&#39;"}

class Markup {
  constructor(text) { this.text = text }
}

function marked(value) {
  if (Array.isArray(value)) return value.map(marked).join("")
  return value instanceof Markup ? value.text : String(value).replace(/[&<>"']/g, (sign) => SIGNS[sign])
}

function html(parts, ...values) {
  return new Markup(parts.reduce((text, part, at) => text + marked(values[at - 1]) + part))
}

// A file for the person's own folder.
function handOver({name, kind, content}) {
  const link = document.createElement("a")
  link.href = URL.createObjectURL(new Blob([content], {type: kind}))
  link.download = name
  link.click()
  window.setTimeout(() => URL.revokeObjectURL(link.href), 60_000)
}

// A sheet over the page: Esc is for Python to answer, and the page hears none of its keys.
function sheetOver(model, escape) {
  const dialog = document.createElement("dialog")
  dialog.addEventListener("cancel", (event) => {
    event.preventDefault()
    model.send_msg({what: escape})
  })
  dialog.addEventListener("keydown", (event) => event.stopPropagation())
  return dialog
}
