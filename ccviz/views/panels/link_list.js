// A list of links: weight and delete button for each; those that follow from others are greyed.
function line(kind) {
  return html`<svg width="26" height="8" aria-hidden="true"><line x1="1" x2="25" y1="4" y2="4"
    class="${kind}" /></svg>`
}

function price(row) {
  return row.price === undefined ? "" : html`<span class="price" title="${row.words}" aria-label="${row.words}"
    style="--share: ${row.share}">${row.price}</span>`
}

function given(row, place) {
  return html`<li class="given ${row.broken ? "broken" : ""}">
    ${line(row.kind)}<span class="pair" title="${row.pair}">${row.pair}</span>
    <span class="note" title="${row.note}" aria-label="${row.note}">${row.broken ? html`${row.many}⚡` : ""}</span>
    ${price(row)}
    <input type="number" min="0" step="any" placeholder="hard" value="${row.weight ?? ""}"
      data-place="${place}" title="Weight; empty is hard" aria-label="Weight of ${row.name}, empty for hard">
    <button type="button" data-place="${place}" title="Delete ${row.name}"
      aria-label="Delete ${row.name}">✕</button>
  </li>`
}

function implied(row) {
  return html`<li class="implied" title="It follows from the others">
    ${line(row.kind)}<span class="pair" title="${row.pair}">${row.pair}</span>
    <span class="note">implied</span></li>`
}

export function render({model}) {
  const box = document.createElement("div")
  box.className = "links"
  const draw = () => {
    const rows = model.rows.map((row, place) => row.implied ? implied(row) : given(row, place))
    box.innerHTML = html`<ul aria-label="Links">${rows}</ul>`.text
  }
  box.addEventListener("click", (event) => {
    const button = event.target.closest("button")
    if (button) model.send_msg({what: "delete", place: Number(button.dataset.place)})
  })
  box.addEventListener("change", (event) => {
    const {place} = event.target.dataset
    const weight = event.target.value === "" ? null : Number(event.target.value)
    event.target.value = model.rows[place].weight ?? ""  // until the new weight is accepted
    model.send_msg({what: "weigh", place: Number(place), weight})
  })
  model.on("rows", draw)
  draw()
  return box
}
