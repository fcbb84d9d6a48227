// What marks the clusters: features by clusters, shaded by how far each mean is from that of all.
const FILES = [["rows", "My rows with clusters (CSV)"], ["profile", "This table (CSV)"],
  ["markdown", "This table (Markdown)"], ["report", "Report (HTML)"]]

function shade(apart) {
  const share = Math.round(45 * Math.min(Math.abs(apart) / 2, 1))
  const color = apart > 0 ? "#0072b2" : "#d55e00"
  return `background: color-mix(in srgb, ${color} ${share}%, transparent)`
}

function head({number, color, size, share, silhouette}, chosen) {
  return html`<th scope="col"><button data-cluster="${number}" aria-pressed="${number === chosen}"
    title="Show only cluster ${number}" aria-label="cluster ${number}"><i style="background:${color}"></i>${number}</button>
    <small title="points">${size}</small><small title="share of all">${share}</small>
    <small title="mean silhouette">${silhouette}</small></th>`
}

function row({name, separation, whole, cells}) {
  return html`<tr><th scope="row">${name}</th>
    <td class="bar" title="${separation} of its variance lies between the clusters">
      <i style="width:${separation}"></i><span>${separation}</span></td>
    <td>${whole[0]}<small> ± ${whole[1]}</small></td>
    ${cells.map(([mean, spread, apart]) => html`<td style="${shade(apart)}"
      title="${apart.toFixed(1)} deviations from the mean of all">${mean}<small> ± ${spread}</small></td>`)}
  </tr>`
}

export function render({model}) {
  const box = document.createElement("div")
  box.className = "clusters"
  const draw = () => {
    const {about, heads, rows, more, rules} = model.table
    if (!heads) {
      box.innerHTML = html`<p>${about}</p>`.text
      return
    }
    const place = box.querySelector(":focus")?.dataset.cluster
    const scrolled = box.querySelector(".scroll")?.scrollTop ?? 0
    const kept = rules.map(({words, holds}) => html`<li class="${holds ? "" : "broken"}">${words}</li>`)
    box.innerHTML = html`<p>${about}</p>
      ${rules.length ? html`<ul class="rules" aria-label="Rules of the clusters">${kept}</ul>` : ""}
      <div class="scroll"><table aria-label="What marks the clusters"><thead><tr>
        <th scope="col">Feature</th>
        <th scope="col" title="Share of the variance between the clusters">Share</th><th scope="col">All</th>
        ${heads.map((each) => head(each, model.chosen))}</tr></thead>
        <tbody>${rows.map(row)}</tbody></table></div>
      ${more ? html`<p>${more}</p>` : ""}
      <h2>Take home</h2><div class="files">
      ${FILES.map(([what, words]) => html`<button data-file="${what}">${words}</button>`)}</div>`.text
    box.querySelector(".scroll").scrollTop = scrolled
    if (place !== undefined) box.querySelector(`[data-cluster="${place}"]`)?.focus()
  }
  box.addEventListener("click", (event) => {
    const button = event.target.closest("button")
    if (!button) return
    const {cluster, file} = button.dataset
    model.send_msg(file ? {what: "file", file} : {what: "cluster", cluster: Number(cluster)})
  })
  model.on("msg:custom", handOver)
  model.on("table", draw)
  model.on("chosen", draw)
  draw()
  return box
}
