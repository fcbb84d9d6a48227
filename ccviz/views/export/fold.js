// What stands at a moment of a run: the frames of ccviz.views.frames, looked up or folded.
// A test holds them against Python's, event by event. Nothing here touches the page.

// --- Reading what the page carries (ccviz.views.export.page) -----------------------------

const ARRAYS = {
  f8: Float64Array, f4: Float32Array, i1: Int8Array, i2: Int16Array, i4: Int32Array, u1: Uint8Array,
}

async function unpack(word) {
  const bytes = Uint8Array.from(atob(word), (letter) => letter.charCodeAt(0))
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"))
  const whole = await new Response(stream).arrayBuffer()
  const length = new DataView(whole).getUint32(0, true)
  const text = new TextDecoder().decode(new Uint8Array(whole, 8, length))
  const revive = (_, value) => {
    if (value === null || typeof value !== "object" || !("array" in value)) return value
    const kind = ARRAYS[value.array]
    const size = value.shape.reduce((product, side) => product * side, 1)
    const array = new kind(whole, 8 + length + value.at, size)
    array.shape = value.shape
    return array
  }
  return JSON.parse(text, revive)
}

// --- Numbers as people read them (ccviz.numbers) --------------------------------------------

const stripped = (text) => text.includes(".") ? text.replace(/\.?0+$/, "") : text

// Python's format "g": a number of significant digits, without zeros at the end.
function general(value, digits) {
  const [mantissa, power] = value.toExponential(digits - 1).split("e")
  const exponent = Number(power)
  if (exponent >= -4 && exponent < digits) return stripped(value.toFixed(Math.max(0, digits - 1 - exponent)))
  const sign = exponent < 0 ? "-" : "+"
  return `${stripped(mantissa)}e${sign}${String(Math.abs(exponent)).padStart(2, "0")}`
}

function number(value, digits = 6) {
  if (value === null || !Number.isFinite(value)) return "–"
  if (value !== 0 && !(Math.abs(value) >= 1e-4 && Math.abs(value) < 1e12)) return general(value, digits - 1)
  const decimals = value === 0 ? 0 : Math.max(0, digits - 1 - Math.floor(Math.log10(Math.abs(value))))
  const [whole, rest] = value.toFixed(decimals).split(".")
  const grouped = whole.replace(/\B(?=(\d{3})+$)/g, ",")
  return rest ? stripped(`${grouped}.${rest}`) : grouped
}

const LEAST_SHARE = 1e-6

function percent(share) {
  if (!Number.isFinite(share)) return "–"
  if (share > 0 && share < LEAST_SHARE) return "< 0.0001 %"
  const fixed = Math.abs(share) >= 1e-4 || share === 0
  return `${fixed ? (100 * share).toFixed(2) : general(100 * share, 1)} %`
}

const count = (amount, noun) => `${amount.toLocaleString("en")} ${noun}${amount === 1 ? "" : "s"}`

// --- Looking up -----------------------------------------------------------------------------

// How many entries came at a moment or before it.
function upto(moments, at) {
  let low = 0
  let high = moments.length
  while (low < high) {
    const middle = (low + high) >> 1
    if (moments[middle] <= at) low = middle + 1
    else high = middle
  }
  return low
}

function newest(line, at, otherwise = null) {
  const many = upto(line.at, at)
  return many ? line.values[many - 1] : otherwise
}

function rows(table, at, chosen = () => true) {
  const many = upto(table.moment, at)
  const kept = []
  for (let row = 0; row < many; row++) if (chosen(row)) kept.push(row)
  return Object.fromEntries(Object.entries(table).filter(([name]) => name !== "moment")
    .map(([name, values]) => [name, kept.map((row) => values[row])]))
}

const known = (value) => Number.isFinite(value) ? value : NaN
const last = (values) => values[values.length - 1]

// --- The frames -----------------------------------------------------------------------------

function card(run, at) {
  if (at < 0) return {status: "unknown", headline: "Before the first event", ending: "", rows: [], scores: [], sizes: []}
  const say = (name, otherwise) => run.card[name] ? newest(run.card[name], at, otherwise) : otherwise
  const rows = run.rowNames.map((name) => [name, name === "Time" ? run.clock[at] : say(`row ${name}`, null)])
  return {
    status: say("status", "unknown"), headline: say("headline", ""), ending: say("ending", ""),
    rows: rows.filter(([, value]) => value !== null),
    scores: say("scores", []), sizes: say("sizes", []),
  }
}

function bounds(run, at, against = "time") {
  const {time, nodes, upper, lower} = rows(run.bounds, at)
  if (time.length) {
    time.push(run.times[at])
    nodes.push(run.tree ? upto(run.tree.opened, at) : 0)
    upper.push(last(upper))
    lower.push(last(lower))
  }
  const frame = {at: against === "time" ? time : nodes, upper: upper.map(known), lower: lower.map(known)}
  frame.gap = frame.upper.map((value, row) => (
    Number.isNaN(value - frame.lower[row]) ? NaN : Math.max(value - frame.lower[row], 0) / value))
  return frame
}

// The heights between which two bounds are worth seeing (ccviz.views.frames.bounds).
function worthSeeing({upper, lower}) {
  const ups = upper.filter(Number.isFinite)
  const lows = lower.filter(Number.isFinite)
  const all = [...ups, ...lows]
  if (!all.length) return null
  if (!ups.length || !lows.length) {
    const [low, high] = [Math.min(...all), Math.max(...all)]
    const room = low < high ? Math.max(0, 5e-7 * Math.abs(high) - 0.5 * (high - low)) : 0
    return [low - room, high + room]
  }
  const margin = Math.max(last(ups) - Math.max(lows[0], 0), 1e-3 * Math.abs(last(ups)))
  return [last(ups) - 1.2 * margin, last(ups) + margin]
}

function scatter(run, at) {
  const labels = newest(run.points.labels, at, null)
  const centers = newest(run.points.centers, at, null)
  return {labels, centers: centers || [], ring: newest(run.points.ring, at, -1)}
}

function broken(run, kind, labels) {
  const {pairs} = run.links[kind]
  return Array.from({length: pairs.shape[0]}, (_, row) => {
    if (!labels) return false
    const [first, second] = [labels[pairs[2 * row]], labels[pairs[2 * row + 1]]]
    return first >= 0 && second >= 0 && (first === second) === (kind === "cannot")
  })
}

// The tree is folded on from where it was: going back starts from the root, which costs a millisecond.
function treeState(run, at) {
  const {tree} = run
  if (!tree.state || tree.state.at > at) {
    const many = tree.node.length
    tree.state = {at: -1, done: 0, kind: new Int8Array(many), bound: new Float64Array(many),
      branch: new Int32Array(2 * many), place: new Uint8Array(many), detail: new Int32Array(many)}
  }
  const {changes, state} = tree
  for (; state.done < changes.moment.length && changes.moment[state.done] <= at; state.done++) {
    const [change, row] = [state.done, changes.row[state.done]]
    state.kind[row] = changes.state[change]
    state.bound[row] = changes.bound[change]
    state.branch[2 * row] = changes.i[change]
    state.branch[2 * row + 1] = changes.j[change]
    state.place[row] = changes.place[change]
    state.detail[row] = changes.detail[change]
  }
  state.at = at
  return state
}

const filled = (sentence, said) => sentence.replace(/\{(\w+)\}/g, (_, name) => said[name])

function decision(tree, row) {
  const [i, j] = [tree.pair[2 * row], tree.pair[2 * row + 1]]
  if (i < 0) return words.decisions.root
  const [yes, no] = tree.place[row] ? ["taken", "empty"] : ["together", "apart"]
  return filled(words.decisions[tree.together[row] ? yes : no], {i, j})
}

// A child without a bound of its own hangs this share of the axis below its parent.
const HANGS_BELOW = 0.06

function treeFrame(run, at, axis = "bound") {
  const {tree} = run
  const total = upto(tree.opened, at)
  const state = treeState(run, at)
  const best = newest(tree.best, at, null)
  const found = newest(tree.found, at, -1)
  const bound = Array.from(state.bound.subarray(0, total))
  const finite = bound.filter(Number.isFinite)
  let low = Infinity
  let top = -Infinity
  for (const value of finite) {
    low = Math.min(low, value)
    top = Math.max(top, value)
  }
  // What lies far above the incumbent is closed: how far does not matter.
  if (best !== null) top = best + 0.08 * Math.max(best - low, 0)
  const states = Array.from({length: total}, (_, row) => row === found ? "incumbent" : words.states[state.kind[row]])
  // A root opens at 0, which is no bound of the solver's.
  const isNew = total === 1 && words.states[state.kind[0]] === "open" && !(bound[0] > 0)
  const below = HANGS_BELOW * (top - low || Math.abs(top))
  const height = (value, row) => {
    if (isNew) return NaN
    if (!finite.length) return 0
    const own = Math.min(Math.max(value, low), top)
    const hangs = states[row] === "open" && tree.depth[row] > 0 && value === bound[tree.parent[row]]
    return hangs ? Math.min(own + below, (own + top) / 2) : own
  }
  return {
    total, axis, upper: best,
    y: axis === "depth" ? Array.from(tree.depth.subarray(0, total)) : bound.map(height),
    bound, state: states,
  }
}

// A node in full (ccviz.views.frames.node).
function nodeFrame(run, at, row) {
  const {tree} = run
  const state = treeState(run, at)
  const kind = words.states[state.kind[row]]
  const best = newest(tree.best, at, null)
  const {in_full, alone, place} = words.why[kind]
  const said = {bound: number(state.bound[row]), best: number(best), i: state.branch[2 * row], j: state.branch[2 * row + 1]}
  const sentence = filled(best === null && alone || state.place[row] && place || in_full, said)
  const path = []
  for (let up = row; up >= 0; up = tree.parent[up]) path.unshift(up)
  const decided = (together, place = false) => path
    .filter((up) => tree.pair[2 * up] >= 0 && Boolean(tree.together[up]) === together && Boolean(tree.place[up]) === place)
    .map((up) => [tree.pair[2 * up], tree.pair[2 * up + 1]])
  const past = rows(tree.changes, at, (change) => tree.changes.row[change] === row
    && Number.isFinite(tree.changes.time[change]) && Number.isFinite(tree.changes.bound[change]))
  return {
    node: tree.node[row], depth: tree.depth[row], state: kind,
    mustLink: decided(true), cannotLink: decided(false), taken: decided(true, true), empty: decided(false, true),
    time: past.time, bound: past.bound,
    why: `${sentence} ${tree.details[state.detail[row]]}`.trimEnd(),
  }
}

function cuts(run, at, node = null) {
  const frame = rows(run.cuts, at, (row) => node === null || run.cuts.node[row] === node)
  const first = Math.max(0, (frame.node || []).length - 400)
  for (const name of Object.keys(frame)) frame[name] = frame[name].slice(first)
  frame.at = (frame.node || []).map((_, row) => first + row + 1)
  return frame
}

function columns(run, at) {
  const frame = rows(run.columns, at)
  frame.at = (frame.node || []).map((_, row) => row + 1)
  return frame
}

const residuals = (run, at) => rows(run.residuals, at)

function matrixFrame(run, at, node = null) {
  const {matrix} = run
  for (let entry = upto(matrix.at, at) - 1; entry >= 0; entry--) {
    if (node === null || matrix.values[entry].node === node) return matrix.values[entry]
  }
  return null
}

// Members of the newest generations, and a line for each that was replaced (frames.population).
function population(run, at) {
  const all = run.generations.values.slice(0, upto(run.generations.at, at))
  const size = all.length ? last(all).objectives.length : 1
  const late = all.slice(-Math.max(2, Math.floor(4000 / size)))
  const frame = {members: [], moves: []}
  for (const name of ["generation", "best", "mean", "diversity"]) frame[name] = all.map((each) => each[name])
  late.forEach((row, place) => {
    row.objectives.forEach((objective, member) => {
      frame.members.push([row.generation, objective, member, Boolean(row.fresh[member])])
      const before = place ? late[place - 1] : null
      if (row.fresh[member] && before && before.objectives.length === row.objectives.length) {
        frame.moves.push([row.generation - 1, before.objectives[member], row.generation, objective])
      }
    })
  })
  return frame
}
