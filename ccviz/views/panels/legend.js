// The clusters by their colours; a click leaves one alone in colour.
export function render({model}) {
  const box = document.createElement("div")
  box.className = "legend"
  const draw = () => {
    const place = box.querySelector(":focus")?.dataset.cluster
    box.innerHTML = html`${model.rows.map(({number, color, words, said}) =>
      html`<button data-cluster="${number}" aria-pressed="${number === model.chosen}"
        aria-label="${said}" title="${said}: show only these"><i style="background:${color}"></i>${words}</button>`)}${model.more ? html`<span class="more">and ${model.more} more: tab Clusters</span>` : ""}${model.left_out ? html`<span class="left-out"><i></i>left out: ${model.left_out}</span>` : ""}${model.unknown ? html`<span class="unknown"><i></i>unknown: ${model.unknown.toLocaleString("en")}</span>` : ""}${model.note ? html`<span class="note">${model.note}</span>` : ""}`.text
    if (place !== undefined) box.querySelector(`[data-cluster="${place}"]`)?.focus()
  }
  box.addEventListener("click", (event) => {
    const button = event.target.closest("button")
    if (button) model.send_msg(Number(button.dataset.cluster))
  })
  model.on("rows", draw)
  model.on("chosen", draw)
  model.on("note", draw)
  model.on("left_out", draw)
  model.on("unknown", draw)
  model.on("more", draw)
  draw()
  return box
}
