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

// Messages from Python. Panel goes on sending them to views that are gone, as of a tab that was left.
function hear(model, callback) {
  model.on("msg:custom", callback)
  model.on("remove", () => model.off("msg:custom", callback))
}

// A file for the person's own folder.
function handOver({name, kind, content}) {
  const link = document.createElement("a")
  link.href = URL.createObjectURL(new Blob([content], {type: kind}))
  link.download = name
  link.click()
  window.setTimeout(() => URL.revokeObjectURL(link.href), 60_000)
}

// A name or another short text, asked for over the page; `then` hears it unless Esc or Cancel ends it.
function ask(host, words, value, then) {
  const dialog = document.createElement("dialog")
  dialog.ariaLabel = words
  dialog.style.cssText = "color: var(--ink); background: var(--paper); border: 1px solid var(--line); border-radius: 10px"
  dialog.innerHTML = html`<form method="dialog"><label>${words} <input name="text" value="${value}"></label>
    <p><button type="button">Cancel</button> <button value="yes">OK</button></p></form>`.text
  const [input, cancel] = ["input", "button"].map((name) => dialog.querySelector(name))
  cancel.addEventListener("click", () => dialog.close())
  dialog.addEventListener("keydown", (event) => event.stopPropagation())
  dialog.addEventListener("close", () => {
    if (dialog.returnValue === "yes") then(input.value)
    dialog.remove()
  })
  host.append(dialog)
  dialog.showModal()
  input.select()
}

// A table under the names of its columns, nothing without rows; `row` makes one of what is in `rows`.
const plainRow = (cells) => html`<tr>${cells.map((cell) => html`<td>${cell}</td>`)}</tr>`

function table(label, columns, rows, row = plainRow) {
  return !rows.length ? "" : html`<table aria-label="${label}"><thead><tr>${columns.map((name) =>
    name ? html`<th scope="col">${name}</th>` : html`<td></td>`)}</tr></thead>
    <tbody>${rows.map((each) => row(each))}</tbody></table>`
}

function options(pairs, chosen) {
  return pairs.map(([value, words]) =>
    html`<option value="${value}" ${value === chosen ? "selected" : ""}>${words}</option>`)
}

// The numbers in some fields of a form, by name.
const numbersOf = (form, ...names) =>
  Object.fromEntries(names.map((name) => [name, Number(form.elements[name].value)]))

// A sheet over the page: Esc is for Python to answer, and the page hears none of its keys. A button
// sends what it is for. `show(open)` opens or closes it.
function sheetOver(model, label, content, escape = "close") {
  const dialog = document.createElement("dialog")
  dialog.setAttribute("aria-label", label)
  dialog.innerHTML = content
  dialog.addEventListener("cancel", (event) => {
    event.preventDefault()
    model.send_msg({what: escape})
  })
  dialog.addEventListener("keydown", (event) => event.stopPropagation())
  dialog.addEventListener("click", ({target: {dataset: {what}}}) => what && model.send_msg({what}))
  const show = (open) => {
    if (open && !dialog.open) dialog.showModal()
    else if (!open && dialog.open) dialog.close()
  }
  return {dialog, show, parts: (...names) => names.map((name) => dialog.querySelector(name))}
}
