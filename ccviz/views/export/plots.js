// What is drawn of a run: its points, bounds and tree, and what is inside its solver.

const clusterColor = (label) => words.clusters[label % words.clusters.length]

// --- Points ---------------------------------------------------------------------------------

function drawSegments(chart, run, pairs, {color, width, dash = [], alpha = 1}) {
  const {x, y} = run.points
  chart.pen.strokeStyle = color
  chart.pen.lineWidth = width
  chart.pen.globalAlpha = alpha
  chart.pen.setLineDash(dash)
  chart.pen.beginPath()
  for (const [i, j] of pairs) {
    chart.pen.moveTo(chart.X(x[i]), chart.Y(y[i]))
    chart.pen.lineTo(chart.X(x[j]), chart.Y(y[j]))
  }
  chart.pen.stroke()
  chart.pen.setLineDash([])
  chart.pen.globalAlpha = 1
}

// Circles of the points' own distances, where the axes are all that the points have.
function drawPlaces(chart, run, places, dash = []) {
  const {x, y, is_whole} = run.points
  if (!is_whole) return
  const {pen} = chart
  pen.strokeStyle = chart.colors.mark
  pen.lineWidth = 2.5
  pen.globalAlpha = 0.9
  pen.setLineDash(dash)
  for (const [i, j] of places) {
    const radius = Math.hypot(x[j] - x[i], y[j] - y[i])
    const [across, up] = [chart.X(x[i] + radius) - chart.X(x[i]), chart.Y(y[i]) - chart.Y(y[i] + radius)]
    pen.beginPath()
    pen.ellipse(chart.X(x[i]), chart.Y(y[i]), Math.abs(across), Math.abs(up), 0, 0, 2 * Math.PI)
    pen.stroke()
  }
  pen.setLineDash([])
  pen.globalAlpha = 1
}

function drawLinks(chart, run, labels) {
  for (const kind of ["must", "cannot"]) {
    const {pairs, soft} = run.links[kind]
    const all = Array.from({length: pairs.shape[0]}, (_, row) => [pairs[2 * row], pairs[2 * row + 1]])
    const is = broken(run, kind, labels)
    const style = {color: chart.colors[`${kind}_link`], dash: kind === "cannot" ? [6, 4] : []}
    drawSegments(chart, run, all.filter((_, row) => is[row]), {color: chart.colors.broken, width: 7, alpha: 0.45})
    drawSegments(chart, run, all.filter((_, row) => !soft[row]), {...style, width: 1.5})
    drawSegments(chart, run, all.filter((_, row) => soft[row]), {...style, width: 0.8})
  }
}

function drawPoints(chart, run, labels) {
  const {x, y} = run.points
  const radius = x.length > 3000 ? 1.5 : x.length > 800 ? 3 : 4.5
  const none = chart.colors.unassigned
  for (let point = 0; point < x.length; point++) {
    const label = labels ? labels[point] : -1
    const color = label < 0 ? none : clusterColor(label)
    chart.pen.fillStyle = color
    if (radius < 2) chart.pen.fillRect(chart.X(x[point]) - radius, chart.Y(y[point]) - radius, 2 * radius, 2 * radius)
    else marker(chart.pen, "circle", chart.X(x[point]), chart.Y(y[point]), radius, color, chart.colors.paper)
  }
}

function drawCenters(chart, centers) {
  for (let row = 0; row < (centers.length || 0) / 3; row++) {
    const [x, y] = [chart.X(centers[3 * row]), chart.Y(centers[3 * row + 1])]
    for (const [color, width, arm] of [[chart.colors.ink, 8, 11], [clusterColor(centers[3 * row + 2]), 5, 10]]) {
      chart.pen.strokeStyle = color
      chart.pen.lineWidth = width
      chart.stroke([[x - arm, y], [x + arm, y]])
      chart.stroke([[x, y - arm], [x, y + arm]])
    }
  }
}

function drawRing(chart, x, y, color, radius = 10) {
  chart.pen.strokeStyle = color
  chart.pen.lineWidth = 3
  chart.pen.beginPath()
  chart.pen.arc(chart.X(x), chart.Y(y), radius, 0, 2 * Math.PI)
  chart.pen.stroke()
}

function scatterChart(run, panel) {
  const paint = (chart) => {
    const {labels, centers, ring} = scatter(run, panel.at)
    const {xRange, yRange, x_name, y_name, x, y} = run.points
    chart.range(xRange, yRange, {xLabel: x_name, yLabel: y_name})
    chart.clip(() => {
      drawLinks(chart, run, labels)
      drawPoints(chart, run, labels)
      drawCenters(chart, centers)
      if (ring >= 0) drawRing(chart, x[ring], y[ring], chart.colors.broken)
      for (const point of panel.picked) drawRing(chart, x[point], y[point], chart.colors.ink)
      if (panel.marked >= 0) drawRing(chart, x[panel.marked], y[panel.marked], chart.colors.mark, 15)
      if (panel.node === null || !run.tree) return
      const {mustLink, cannotLink, taken, empty} = nodeFrame(run, panel.at, panel.node)
      drawSegments(chart, run, mustLink, {color: chart.colors.mark, width: 3.5, alpha: 0.9})
      drawSegments(chart, run, cannotLink, {color: chart.colors.mark, width: 3.5, alpha: 0.9, dash: [8, 5]})
      drawPlaces(chart, run, taken)
      drawPlaces(chart, run, empty, [8, 5])
    })
    const sizes = card(run, panel.at).sizes
    chart.say(`${run.n} points over ${x_name} and ${y_name}; ${count(run.links.must.pairs.shape[0], "must-link")}, ${count(run.links.cannot.pairs.shape[0], "cannot-link")}; clusters of ${sizes.join(", ") || "no"} points${panel.pick ? ". Arrow keys move a marker, Enter picks its point." : ""}`)
  }
  const tip = (chart, px, py) => {
    const point = nearestPoint(chart, run.points.x, run.points.y, px, py, 12)
    return point < 0 ? "" : pointWords(run, panel.at, point)
  }
  const pick = panel.pick && ((chart, px, py) => {
    panel.pick(nearestPoint(chart, run.points.x, run.points.y, px, py, 12))
  })
  return new Chart({label: "points", height: 380, paint, tip, pick, zoom: true})
}

const named = ({names}, point) => names.length ? `${names[point]} (${point})` : `point ${point}`

function pointWords(run, at, point) {
  const {labels} = scatter(run, at)
  const cluster = labels && labels[point] >= 0 ? `, cluster ${labels[point]}` : ""
  return `${named(run.points, point)} ${run.points.classes[point]}`.trimEnd() + cluster
}

function nearestPoint(chart, x, y, px, py, reach) {
  let [best, near] = [-1, reach]
  for (let point = 0; point < x.length; point++) {
    const far = Math.hypot(chart.X(x[point]) - px, chart.Y(y[point]) - py)
    if (far < near) [best, near] = [point, far]
  }
  return best
}

// --- Bounds ---------------------------------------------------------------------------------

function boundsChart(run, panel) {
  const paint = (chart) => {
    const frame = bounds(run, panel.at, panel.against)
    drawLines(chart, frame.at, [
      {values: frame.upper, color: "upper", step: true, width: 2.5},
      {values: frame.lower, color: "lower", step: true, width: 2.5},
    ], {heights: worthSeeing(frame), xLabel: panel.against === "time" ? "seconds" : "nodes"})
    const [up, low] = [last(frame.upper), last(frame.lower)]
    chart.say(`bounds: upper ${number(up ?? NaN)}, lower ${number(low ?? NaN)}, gap ${percent(last(frame.gap) ?? NaN)}`)
  }
  const tip = (chart, px) => {
    const frame = bounds(run, panel.at, panel.against)
    const row = nearestRow(chart, frame.at, px)
    return row < 0 ? "" : `at ${number(frame.at[row], 4)}: upper ${number(frame.upper[row])}, lower ${number(frame.lower[row])}, gap ${percent(frame.gap[row])}`
  }
  return new Chart({label: "bounds", height: 210, paint, tip})
}

// --- The tree -------------------------------------------------------------------------------

function treeChart(run, panel) {
  const {tree} = run
  const paint = (chart) => {
    const frame = treeFrame(run, panel.at, panel.axis)
    if (!frame.total) return chart.note("no node is open yet")
    const tall = extent([frame.y, frame.upper !== null && panel.axis === "bound" ? [frame.upper] : []])
    if (!tall) return chart.note("no node has a bound yet")
    chart.range(widened(extent([tree.x]), 0.04), widened(tall, 0.08), {flip: true, axes: "y", yLabel: panel.axis === "bound" ? "lower bound" : "depth"})
    chart.clip(() => {
      drawEdges(chart, tree, frame)
      if (panel.axis === "bound" && frame.upper !== null) drawIncumbentLine(chart, frame.upper)
      drawNodes(chart, tree, frame, panel.node)
    })
    const open = frame.state.filter((state) => state === "open").length
    chart.say(`search tree: ${count(frame.total, "node")}, ${open} open. Arrow keys walk it.`)
  }
  const tip = (chart, px, py) => {
    const frame = treeFrame(run, panel.at, panel.axis)
    const row = nearestPoint(chart, tree.x.subarray(0, frame.total), frame.y, px, py, 14)
    if (row < 0) return ""
    return `node ${tree.node[row]}, depth ${tree.depth[row]}: ${words.marks[frame.state[row]][2]}; lower bound ${number(frame.bound[row])}; ${decision(tree, row)}`
  }
  const pick = (chart, px, py) => {
    const frame = treeFrame(run, panel.at, panel.axis)
    const row = nearestPoint(chart, tree.x.subarray(0, frame.total), frame.y, px, py, 40)
    if (row >= 0) panel.select(row)
  }
  const key = (event) => {
    const next = walk(run, panel, event.key)
    if (next === undefined) return
    event.preventDefault()
    event.stopPropagation()
    panel.select(next)
  }
  return new Chart({label: "search tree", height: 340, paint, tip, pick, key, zoom: true})
}

function drawEdges(chart, tree, frame) {
  chart.pen.strokeStyle = chart.colors.faint
  chart.pen.globalAlpha = 0.6
  chart.pen.lineWidth = 1
  chart.pen.beginPath()
  for (let row = 0; row < frame.total; row++) {
    const parent = tree.parent[row]
    if (parent < 0) continue
    chart.pen.moveTo(chart.X(tree.x[parent]), chart.Y(frame.y[parent]))
    chart.pen.lineTo(chart.X(tree.x[row]), chart.Y(frame.y[row]))
  }
  chart.pen.stroke()
  chart.pen.globalAlpha = 1
}

function drawIncumbentLine(chart, upper) {
  chart.pen.strokeStyle = chart.pen.fillStyle = chart.colors.upper
  chart.pen.lineWidth = 2
  chart.pen.setLineDash([6, 4])
  chart.stroke([[chart.X(chart.x[0]), chart.Y(upper)], [chart.X(chart.x[1]), chart.Y(upper)]])
  chart.pen.setLineDash([])
  chart.pen.textAlign = "left"
  chart.pen.fillText(`incumbent ${number(upper)}`, chart.inner.left + 6, chart.Y(upper) - 4)
}

function drawNodes(chart, tree, frame, selected) {
  const small = frame.total > 1500 ? 2 : frame.total > 300 ? 3 : 4.5
  for (let row = 0; row < frame.total; row++) {
    const [shape, color] = words.marks[frame.state[row]]
    const radius = frame.state[row] === "branched" ? 0.7 * small : frame.state[row] === "incumbent" ? small + 3 : small
    marker(chart.pen, shape, chart.X(tree.x[row]), chart.Y(frame.y[row]), radius, color, "#5b6673")
  }
  if (selected === null || selected >= frame.total) return
  chart.pen.strokeStyle = chart.colors.mark
  chart.pen.lineWidth = 3
  chart.pen.beginPath()
  chart.pen.arc(chart.X(tree.x[selected]), chart.Y(frame.y[selected]), 11, 0, 2 * Math.PI)
  chart.pen.stroke()
}

// Where an arrow leads from the chosen node: up, down to the first child, or beside.
function walk(run, panel, key) {
  const {tree} = run
  const total = upto(tree.opened, panel.at)
  if (!total || !["ArrowUp", "ArrowDown", "ArrowLeft", "ArrowRight", "Escape"].includes(key)) return undefined
  if (key === "Escape") return null
  const from = panel.node
  if (from === null) return 0
  if (key === "ArrowUp") return tree.parent[from] < 0 ? from : tree.parent[from]
  const children = (parent) => {
    const found = []
    for (let row = 0; row < total; row++) if (tree.parent[row] === parent) found.push(row)
    return found.sort((a, b) => tree.x[a] - tree.x[b])
  }
  if (key === "ArrowDown") return children(from)[0] ?? from
  const beside = children(tree.parent[from])
  return beside[beside.indexOf(from) + (key === "ArrowRight" ? 1 : -1)] ?? from
}

// --- Inside the solver ----------------------------------------------------------------------

const chosen = (run, panel) => panel.node === null || !run.tree ? null : run.tree.node[panel.node]

const INNER = {
  matrix: (run, panel) => new Chart({label: "the relaxation's matrix", height: 300, paint: (chart) => {
    const frame = matrixFrame(run, panel.at, chosen(run, panel))
    if (!frame) return chart.note("no matrix: solvers show it with the setting “show relaxation”")
    drawGrid(chart, (cell) => frame.image[cell] / 255, frame.image.shape, chart.colors.paper, chart.colors.ink, {square: true})
    const side = frame.image.shape[0]
    chart.pen.strokeStyle = chart.colors.mark
    chart.pen.lineWidth = 1
    for (const edge of frame.edges) {
      const at = edge * side / frame.blocks
      chart.stroke([[chart.X(at), chart.Y(0)], [chart.X(at), chart.Y(side)]])
      chart.stroke([[chart.X(0), chart.Y(at)], [chart.X(side), chart.Y(at)]])
    }
    chart.say(`matrix of node ${frame.node}: ${percent(frame.settled)} settled, ${frame.blocks} blocks`)
  }}),
  cuts: (run, panel) => new Chart({label: "cuts", height: 200, paint: (chart) => {
    const frame = cuts(run, panel.at, chosen(run, panel))
    const stacks = Object.entries(words.cuts).map(([kind, color]) => ({values: frame[kind] || [], color}))
    drawBars(chart, frame.at, stacks, {values: frame.active || []}, {xLabel: "round", yLabel: "violated inequalities"})
    chart.say(cutWords(frame))
  }, tip: (chart, px) => {
    const frame = cuts(run, panel.at, chosen(run, panel))
    const row = nearestRow(chart, frame.at, px)
    return row < 0 ? "" : `node ${frame.node[row]}, round ${frame.round[row]}: ${frame.pair[row]} pair, ${frame.triangle[row]} triangle, ${frame.clique[row]} clique; ${frame.active[row]} active; bound ${number(frame.lower_bound[row])}`
  }}),
  master: (run, panel) => new Chart({label: "master and bound", height: 200, paint: (chart) => {
    const frame = columns(run, panel.at)
    drawLines(chart, frame.at, [{values: (frame.master || []).map(known), color: "upper"}, {values: (frame.lower_bound || []).map(known), color: "lower"}], {xLabel: "pricing round"})
    chart.say(`master objective ${number(last(frame.master || []) ?? NaN)}, lower bound ${number(last(frame.lower_bound || []) ?? NaN)}`)
  }}),
  pricing: (run, panel) => new Chart({label: "pricing", height: 200, paint: (chart) => {
    const frame = columns(run, panel.at)
    drawLines(chart, frame.at, [{values: frame.reduced_cost || [], color: "upper"}], {log: true, dots: true, xLabel: "pricing round", yLabel: "−reduced cost"})
    chart.say(`${count((frame.at || []).length, "round")} of pricing`)
  }}),
  duals: (run, panel) => new Chart({label: "duals", height: 200, paint: (chart) => {
    const frame = newest(run.duals, panel.at)
    const price = frame ? Array.from(frame.price) : []
    drawBars(chart, price.map((_, row) => row), [{values: price, color: "upper"}], null, {xLabel: "blocks by price", yLabel: "dual"})
    chart.say(`duals of ${count(price.length, "block")}`)
  }, tip: (chart, px) => {
    const frame = newest(run.duals, panel.at)
    const row = frame ? Math.round(chart.unX(px)) : -1
    return row in (frame ? frame.block : []) ? `block ${frame.block[row]}: ${number(frame.price[row])}` : ""
  }}),
  residuals: (run, panel) => new Chart({label: "residuals", height: 220, paint: (chart) => {
    const frame = residuals(run, panel.at)
    drawLines(chart, frame.iteration || [], [
      {values: frame.primal || [], color: "upper"}, {values: frame.dual || [], color: "lower"}, {values: frame.rho || [], color: "faint", dash: [2, 3]},
    ], {log: true, xLabel: "iteration"})
    chart.say(`residuals: primal ${number(last(frame.primal || []) ?? NaN, 2)}, dual ${number(last(frame.dual || []) ?? NaN, 2)}`)
  }}),
  relaxed: (run, panel) => new Chart({label: "relaxed assignment", height: 240, paint: (chart) => {
    const frame = newest(run.relaxed, panel.at)
    if (!frame) return chart.note("no assignment was shown")
    drawGrid(chart, (cell) => frame.image[cell] / 255, frame.image.shape, chart.colors.paper, chart.colors.ink)
    chart.say(`relaxed assignment of ${count(frame.blocks, "block")}`)
  }}),
  population: (run, panel) => new Chart({label: "population", height: 240, paint: (chart) => drawPopulation(chart, population(run, panel.at))}),
  diversity: (run, panel) => new Chart({label: "diversity", height: 170, paint: (chart) => {
    const frame = population(run, panel.at)
    drawLines(chart, frame.generation, [{values: frame.diversity, color: "mark"}], {zero: true, xLabel: "generation", yLabel: "diversity"})
    chart.say(`diversity ${number(last(frame.diversity) ?? NaN)}`)
  }}),
  mosaic: (run, panel) => new Chart({label: "parts", height: 260, paint: (chart) => {
    const frame = newest(run.mosaic, panel.at)
    if (!frame) return chart.note("the points are not cut into parts yet")
    const share = (cell) => Number.isNaN(frame.gap[cell]) ? NaN : Math.min(1, Math.max(0, (Math.log10(frame.gap[cell]) + 6) / 5))
    drawGrid(chart, share, frame.gap.shape, chart.colors.lower, chart.colors.grid)
    chart.say(frame.caption)
  }}),
}

function drawPopulation(chart, frame) {
  if (!frame.generation.length) return chart.note("no generation yet")
  const best = last(frame.best)
  const tall = extent([frame.best, frame.mean, frame.members.map(([, objective]) => objective), [best * 0.9999, best * 1.0001]])
  chart.range(widened(extent([frame.generation]), 0.03), widened(tall), {xLabel: "generation", yLabel: "what the search lowers"})
  chart.clip(() => {
    chart.pen.strokeStyle = chart.colors.mark
    chart.pen.globalAlpha = 0.6
    for (const [x0, y0, x1, y1] of frame.moves) chart.stroke([[chart.X(x0), chart.Y(y0)], [chart.X(x1), chart.Y(y1)]])
    chart.pen.fillStyle = chart.colors.faint
    for (const [x, y, , fresh] of frame.members) {
      chart.pen.beginPath()
      chart.pen.arc(chart.X(x), chart.Y(y), fresh ? 3.5 : 2, 0, 2 * Math.PI)
      chart.pen.fill()
    }
    chart.pen.globalAlpha = 1
    chart.pen.lineWidth = 2.5
    for (const [name, color, dash] of [["best", "upper", []], ["mean", "lower", [6, 4]]]) {
      chart.pen.strokeStyle = chart.colors[color]
      chart.pen.setLineDash(dash)
      chart.stroke(frame[name].map((value, row) => [chart.X(frame.generation[row]), chart.Y(value)]))
    }
    chart.pen.setLineDash([])
  })
  chart.say(`generation ${last(frame.generation)}: best ${number(best)}, mean ${number(last(frame.mean))}`)
}

function cutWords(frame) {
  if (!frame.at.length) return "no round of cuts"
  const totals = Object.keys(words.cuts).map((kind) => [kind, frame[kind].reduce((sum, each) => sum + each, 0)])
  if (!totals.some(([, total]) => total)) return `${count(frame.at.length, "round")}, no cuts`
  const kinds = totals.map(([kind, total]) => count(total, kind)).join(", ")
  return `${count(frame.at.length, "round")}: ${kinds}; ${last(frame.active)} active`
}

// The charts of each view, and what their colours mean.
const VIEWS = {
  relaxation: {charts: ["matrix", "cuts"], legend: () => [...Object.entries(words.cuts), ["active cuts", "ink"]]},
  columns: {charts: ["master", "pricing", "duals"], legend: () => [["master objective", "upper"], ["lower bound", "lower"]]},
  residuals: {charts: ["residuals", "relaxed"], legend: () => [["primal residual", "upper"], ["dual residual", "lower"], ["ρ", "faint", "dotted"]]},
  population: {charts: ["population", "diversity"], legend: () => [["best", "upper"], ["mean", "lower", "dashed"], ["replaced", "mark"], ["member", "faint"]]},
  parts: {charts: ["mosaic"], legend: () => []},
}
