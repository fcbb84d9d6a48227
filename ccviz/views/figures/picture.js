// One dialog for the picture of a figure: what is on it, its size, its format. A CustomJS of `plot`.
const PX_PER_MM = 96 / 25.4, FONT = "11px sans-serif", LINE = 16, SVG = "http://www.w3.org/2000/svg"
const LINKS = new Set(["must", "cannot", "broken", "neighbors"])
// A view that the page has put away hears the button, too.
if (document.querySelector(".picture-dialog")) return
const view = Bokeh.index.find_one(plot)
const data = plot.renderers.map((each) => each.data_source.data).find((each) => each.row)
const key = plot.tags.filter((each) => each.words)
const linked = plot.renderers.filter((each) => LINKS.has(each.name))
const legends = [...plot.center, ...plot.above, ...plot.below, ...plot.right]
  .filter((each) => each.type === "Legend")

// A canvas for the width of words, and one for the picture.
const pen = document.createElement("canvas").getContext("2d")
pen.font = FONT

function element(name, attributes = {}, text = "") {
  const made = document.createElementNS(SVG, name)
  for (const [each, value] of Object.entries(attributes)) made.setAttribute(each, value)
  made.textContent = text
  return made
}

function word(x, y, text) {
  return element("text", {x, y, fill: ink, style: `font: ${FONT}`}, text)
}

const ink = getComputedStyle(document.documentElement).getPropertyValue("--ink") || "#000"
const paper = plot.background_fill_color ?? "#fff"
const isDark = paper in light

// A picture of a dark page with the colours of a light one.
function onLight(svg) {
  return svg.replace(/#([0-9a-f]{6})|(rgba?\()(\d+), ?(\d+), ?(\d+)/gi, (whole, hex, head, ...rgb) => {
    const parts = hex ? hex.match(/../g) : rgb.slice(0, 3).map((each) => Number(each).toString(16).padStart(2, "0"))
    const to = light[`#${parts.join("").toLowerCase()}`]
    return !to ? whole : hex ? to : head + to.match(/[^#]{2}/g).map((each) => parseInt(each, 16)).join(", ")
  })
}

// The clusters by colour and name, in lines of a width, and their height.
function keyOf(width) {
  const group = element("g")
  let x = 8, y = LINE
  for (const {words, color} of key) {
    const room = 26 + pen.measureText(words).width
    if (x > 8 && x + room > width) [x, y] = [8, y + LINE]
    group.append(element("circle", {cx: x + 4, cy: y - 4, r: 4, fill: color}), word(x + 12, y, words))
    x += room
  }
  return [group, y + 4]
}

// The names of the points in view that have room beside other names and points.
function namesOf(top) {
  const group = element("g"), taken = [], {x_scale, y_scale, bbox} = view.frame
  const places = Array.from(data.x, (x, i) => [x_scale.compute(x), y_scale.compute(data.y[i])])
  for (let i = 0; i < places.length; i++) {
    const [x, y] = [places[i][0] + 6, places[i][1] + 4]
    const text = String(data.name[i] || data.row[i]).replace(/,$/, ""), end = x + pen.measureText(text).width
    if (x < bbox.left || end > bbox.right || y < bbox.top + 8 || y > bbox.bottom) continue
    if (taken.some(([left, right, at]) => x < right && end > left && Math.abs(y - at) < 11)) continue
    if (places.some(([at, up]) => at > x - 4 && at < end + 4 && Math.abs(up + 4 - y) < 9)) continue
    taken.push([x, end, y])
    group.append(word(x, y + top, text))
  }
  return group
}

const frames = async (many) => {
  for (let i = 0; i < many; i++) await new Promise(requestAnimationFrame)
}

// The figure is laid out at the size of the picture for a moment: its type keeps its size.
async function drawn([wide, high], has) {
  const [width, height] = [wide * PX_PER_MM, high * PX_PER_MM]
  const [group, top] = has.legend && key.length ? keyOf(width) : [null, 0]
  const {sizing_mode} = plot, size = [plot.width, plot.height]
  const seen = [...legends, ...linked].map((each) => [each, each.visible])
  for (const each of legends) each.visible &&= has.legend
  for (const each of linked) each.visible &&= has.links
  plot.setv({sizing_mode: "fixed", width: Math.round(width), height: Math.round(height - top)})
  try {
    await frames(6)
    const text = await view.export("svg").to_blob().then((blob) => blob.text())
    const inner = new DOMParser().parseFromString(text, "image/svg+xml").documentElement
    inner.setAttribute("y", top)
    const whole = element("svg", {
      xmlns: SVG, width: `${wide}mm`, height: `${high}mm`, viewBox: `0 0 ${width} ${height}`,
    })
    whole.append(element("rect", {width: "100%", height: "100%", fill: paper}), inner)
    if (group) whole.append(group)
    if (has.names) whole.append(namesOf(top))
    return new XMLSerializer().serializeToString(whole)
  } finally {
    plot.setv({sizing_mode, width: size[0], height: size[1]})
    for (const [each, visible] of seen) each.visible = visible
  }
}

async function painted(svg, size, dpi) {
  const image = new Image()
  image.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(svg)}`
  await image.decode()
  const canvas = document.createElement("canvas")
  ;[canvas.width, canvas.height] = size.map((each) => Math.round((each * dpi) / 25.4))
  canvas.getContext("2d").drawImage(image, 0, 0, canvas.width, canvas.height)
  return canvas
}

// A PNG says its dots per metre in a chunk after its head.
async function png(canvas, dpi) {
  const blob = await new Promise((take) => canvas.toBlob(take)), chunk = new Uint8Array(21)
  const at = new DataView(chunk.buffer), metre = Math.round(dpi / 0.0254)
  at.setUint32(0, 9)
  chunk.set(new TextEncoder().encode("pHYs"), 4)
  at.setUint32(8, metre)
  at.setUint32(12, metre)
  chunk[16] = 1
  let sum = -1
  for (const byte of chunk.subarray(4, 17)) {
    sum ^= byte
    for (let bit = 0; bit < 8; bit++) sum = (sum >>> 1) ^ (sum & 1 ? 0xedb88320 : 0)
  }
  at.setUint32(17, ~sum)
  return new Blob([blob.slice(0, 33), chunk, blob.slice(33)], {type: "image/png"})
}

// One page with the picture on it, packed without loss.
async function pdf(canvas, size) {
  const {width, height} = canvas, rgb = new Uint8Array(3 * width * height)
  const rgba = canvas.getContext("2d").getImageData(0, 0, width, height).data
  for (let i = 0, j = 0; i < rgba.length; i += 4, j += 3) rgb.set(rgba.subarray(i, i + 3), j)
  const packing = new Blob([rgb]).stream().pipeThrough(new CompressionStream("deflate"))
  const packed = await new Response(packing).blob()
  const [wide, high] = size.map((each) => ((each * 72) / 25.4).toFixed(2))
  const draw = `q ${wide} 0 0 ${high} 0 0 cm /P Do Q`
  const parts = ["%PDF-1.4\n"], starts = []
  let at = parts[0].length
  const add = (head, body = "", tail = "") => {
    starts.push(at)
    const whole = [`${starts.length} 0 obj\n${head}`, body, `${tail}\nendobj\n`]
    for (const each of whole) at += each.size ?? each.length
    parts.push(...whole)
  }
  add("<< /Type /Catalog /Pages 2 0 R >>")
  add("<< /Type /Pages /Kids [3 0 R] /Count 1 >>")
  add(`<< /Type /Page /Parent 2 0 R /MediaBox [0 0 ${wide} ${high}] /Contents 4 0 R`
    + " /Resources << /XObject << /P 5 0 R >> >> >>")
  add(`<< /Length ${draw.length} >>\nstream\n${draw}\nendstream`)
  add(`<< /Type /XObject /Subtype /Image /Width ${width} /Height ${height} /ColorSpace /DeviceRGB`
    + ` /BitsPerComponent 8 /Filter /FlateDecode /Length ${packed.size} >>\nstream\n`, packed, "\nendstream")
  const rows = starts.map((start) => `${String(start).padStart(10, "0")} 00000 n \n`).join("")
  parts.push(`xref\n0 6\n0000000000 65535 f \n${rows}trailer\n<< /Size 6 /Root 1 0 R >>\n`
    + `startxref\n${at}\n%%EOF\n`)
  return new Blob(parts, {type: "application/pdf"})
}

async function made(kind, size, has) {
  const svg = has.light ? onLight(await drawn(size, has)) : await drawn(size, has)
  if (kind === "svg") return new Blob([svg], {type: "image/svg+xml"})
  return kind === "png" ? png(await painted(svg, size, 300), 300) : pdf(await painted(svg, size, 600), size)
}

// What the dialog has: constants only.
const dialog = document.createElement("dialog")
dialog.className = "picture-dialog"
dialog.setAttribute("aria-label", "Figure")
const offers = {
  legend: key.length || legends.some((each) => each.visible),
  names: data?.row.length > 0,
  links: linked.some((each) => each.data_source.data.x0?.length),
}
const boxes = Object.entries(offers).filter(([_, has]) => has).map(([name]) =>
  `<label><input type="checkbox" name="${name}"${name === "names" ? "" : " checked"}> ${name[0].toUpperCase()}${name.slice(1)}</label>`)
const high = Math.round((120 * view.bbox.height) / view.bbox.width)
dialog.innerHTML = `<form method="dialog"><h2>Figure</h2><p>${boxes.join("")}</p>
  <p><label>Width, mm <input type="number" name="wide" value="120" min="30" max="400" required></label>
  <label>Height, mm <input type="number" name="high" value="${high}" min="20" max="400" required></label></p>
  <p><label>Format <select name="kind"><option value="svg">SVG</option><option value="pdf">PDF, 600 dpi</option>
  <option value="png">PNG, 300 dpi</option></select></label>
  ${isDark ? `<label>Ground <select name="ground"><option value="light">Light</option>
  <option value="dark">Dark</option></select></label>` : ""}</p>
  <p class="ends"><button value="no" formnovalidate>Cancel</button>
  <button value="yes" class="main">Save</button></p></form>`
document.body.append(dialog)
dialog.addEventListener("close", async () => {
  dialog.remove()
  if (dialog.returnValue !== "yes") return
  const given = new FormData(dialog.querySelector("form")), kind = given.get("kind")
  const has = Object.fromEntries(Object.keys(offers).map((each) => [each, given.has(each)]))
  has.light = given.get("ground") === "light"
  const size = [Number(given.get("wide")), Number(given.get("high"))]
  const [data, app] = document.title.split(" · ")
  const link = document.createElement("a")
  link.href = URL.createObjectURL(await made(kind, size, has))
  link.download = `${app === "ccviz" ? `${data}-` : ""}${plot.name}.${kind}`
  link.click()
  URL.revokeObjectURL(link.href)
})
dialog.showModal()
