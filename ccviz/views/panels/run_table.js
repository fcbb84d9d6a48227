// A table of runs: filter, sort by a column, choose some to compare, and act on one.
const ACTIONS = [["open", "Show"], ["rename", "Rename"], ["resume", "Go on"],
  ["share", "Share"], ["hide", "Unshare"], ["delete", "Delete", "✕"]]

// A long name may break at its underscores.
function breakable(text) {
  return text.split("_").map((piece, at) => at ? html`_<wbr>${piece}` : html`${piece}`)
}

// Where the focus is, in words that find the same place after the table was drawn again.
function placeOf(node) {
  if (!node) return null
  const {column, what} = node.dataset
  if (what === "all") return `[data-what="all"]`
  if (column) return `[data-column="${column}"]`
  return `[data-id="${CSS.escape(node.closest("tr").dataset.id)}"] [data-what="${what}"]`
}

export function render({model}) {
  const box = document.createElement("div")
  box.innerHTML = `<input type="search" placeholder="Filter runs" aria-label="Filter runs">
    <div class="scroll"><table><thead></thead><tbody></tbody></table></div>`
  const [filter, head, body] = ["input", "thead", "tbody"].map((name) => box.querySelector(name))
  const order = {column: null, down: true}
  const chosen = new Set()

  const sorted = () => {
    const words = filter.value.toLowerCase().split(/\s+/)
    const rows = model.rows.filter((row) =>
      words.every((word) => row.cells.join(" ").toLowerCase().includes(word)))
    if (order.column === null) return rows
    const value = (row) => row.keys[order.column]
    rows.sort((a, b) => (value(a) > value(b) ? 1 : value(a) < value(b) ? -1 : 0))
    return order.down ? rows.reverse() : rows
  }
  const draw = () => {
    const place = placeOf(box.querySelector("table :focus"))
    head.innerHTML = html`<tr><th class="tick"><input type="checkbox" data-what="all" aria-label="Tick all"
      ${chosen.size && sorted().every((row) => chosen.has(row.id)) ? "checked" : ""}></th>${model.columns.map((name, at) =>
      html`<th class="${name.toLowerCase()}"><button data-column="${at}" aria-label="Sort by ${name}">${name}${order.column === at ? (order.down ? " ↓" : " ↑") : ""}
      </button></th>`)}<th class="actions">Actions</th></tr>`.text
    body.innerHTML = html`${sorted().map((row) => html`<tr data-id="${row.id}"
        class="${row.id === model.shown ? "shown" : ""}">
      <td class="tick"><input type="checkbox" data-what="compare" aria-label="Compare ${row.name}"
        ${chosen.has(row.id) ? "checked" : ""}></td>
      ${row.cells.map((cell, at) =>
        html`<td class="${model.columns[at].toLowerCase()}">${breakable(cell)}</td>`)}
      <td class="actions">${ACTIONS.filter(([what]) => row.may.includes(what))
        .map(([what, words, sign = words]) =>
          html`<button data-what="${what}" aria-label="${words}" title="${words}">${sign}</button>`)}</td>
    </tr>`)}`.text
    if (place) box.querySelector(place)?.focus()
  }
  const act = (what, id) => {
    const row = model.rows.find((each) => each.id === id)
    const message = {what, id}
    if (what === "rename") {
      message.name = window.prompt("A name for this run", row.name)
      if (message.name === null) return
    }
    if (what === "delete" && !window.confirm(`Delete the run ${row.name} for good?`)) return
    model.send_msg(message)
  }
  filter.addEventListener("input", draw)
  head.addEventListener("click", (event) => {
    if (event.target.matches("input")) {
      sorted().forEach((row) => event.target.checked ? chosen.add(row.id) : chosen.delete(row.id))
      model.send_msg({what: "compare", ids: [...chosen]})
      return draw()
    }
    const button = event.target.closest("button")
    if (!button) return
    const column = Number(button.dataset.column)
    order.down = order.column === column ? !order.down : true
    order.column = column
    draw()
  })
  body.addEventListener("click", (event) => {
    const id = event.target.closest("tr").dataset.id
    if (event.target.matches("input")) {
      event.target.checked ? chosen.add(id) : chosen.delete(id)
      model.send_msg({what: "compare", ids: [...chosen]})
    } else if (event.target.matches("button")) act(event.target.dataset.what, id)
  })
  model.on("rows", draw)
  model.on("shown", draw)
  draw()
  return box
}
