// A list of links with a delete button each; one listener for all of them.
export function render({model}) {
  const box = document.createElement("div")
  box.className = "links"
  const draw = () => {
    const rows = model.rows.map((row, place) => `
      <li class="${row.broken ? "broken" : ""}">
        <svg width="26" height="8" aria-hidden="true"><line x1="1" x2="25" y1="4" y2="4"
          class="${row.kind}" /></svg>
        <span class="pair">${row.i} – ${row.j}</span>
        <span class="note">${row.note}</span>
        <button type="button" data-place="${place}" title="Delete ${row.name}"
          aria-label="Delete ${row.name}">✕</button>
      </li>`)
    box.innerHTML = `<ul aria-label="Links">${rows.join("")}</ul>`
  }
  box.addEventListener("click", (event) => {
    const button = event.target.closest("button")
    if (button) model.send_msg(Number(button.dataset.place))
  })
  model.on("rows", draw)
  draw()
  return box
}
