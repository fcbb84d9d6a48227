// What Bokeh leaves undone: for empty figures, for figures that are given less room, for axes in tabs,
// for themes, for slow hands, for the keyboard and for screen readers.
const REDRAWN_MS = 2000
const UNIT = {auto: [0, 1], log: [0.1, 10]}
const LONGEST_TIMER_MS = 2 ** 31 - 1

// A range makes room for all that its plots drew, and remembers the plots of tabs that were left
// for good: what they drew last would hold the axis wide for ever.
function forgetPlots(range) {
  for (const plot of range._plot_bounds.keys()) {
    if (plot.is_destroyed) range._plot_bounds.delete(plot)
  }
}

// A range about nothing would be NaN: no ticks, and a warning at every painting.
function aboutSomething(range, low, high) {
  return low <= high ? [low, high] : UNIT[range.scale_hint]
}

// Python has the ends that a range once found, and sends them with a figure whose tab is shown again.
// If the page has forgotten the range meanwhile, some seconds after the tab was left, they would be
// ends that were given, and the range would follow no data any more. Only 0 is given in earnest.
function forgetFound(range) {
  for (const end of ["_initial_start", "_initial_end"]) if (range[end] !== 0) range[end] = null
}

// Tabs are bare boxes that only the mouse can press.
function nameTabs(view) {
  view.headers_wrapper_el.role = "tablist"
  for (const tab of view.header_els) {
    tab.role = "tab"
    tab.ariaSelected = String(tab.classList.contains("bk-active"))
  }
  // Panel redraws the tabs when one of them comes to the front: keep the keyboard focus.
  const lost = document.activeElement === document.body
  if (lost && performance.now() < view.by_key_until) view.header_els[view.model.active]?.focus()
}

function pressTab(view, event) {
  const tabs = view.header_els, at = tabs.indexOf(event.target)
  const step = {ArrowLeft: -1, ArrowRight: 1, Enter: 0, " ": 0}[event.key]
  if (at < 0 || step === undefined) return
  event.preventDefault()
  event.stopPropagation()  // the page has keys of its own
  view.by_key_until = performance.now() + REDRAWN_MS
  const next = tabs.at((at + step) % tabs.length)
  next.focus()
  next.click()
}

function listenToTabs(view) {
  view.headers_wrapper_el.addEventListener("keydown", (event) => pressTab(view, event))
  nameTabs(view)
}

function sayPressed(view) {
  for (const button of view.shadow_el.querySelectorAll(".bk-btn")) {
    button.ariaPressed = String(button.classList.contains("bk-active"))
  }
}

function nameSlider(view) {
  for (const handle of view.shadow_el.querySelectorAll(".noUi-handle")) {
    handle.ariaLabel = view.model.title
    handle.addEventListener("keydown", (event) => goToTheEnd(view, event), {capture: true})
  }
}

// By itself it remembers the ends that it had when it was made.
function goToTheEnd(view, event) {
  const {start, end} = view.model
  const value = {Home: start, End: end}[event.key]
  if (value === undefined) return
  event.preventDefault()
  event.stopImmediatePropagation()
  view.model.value = value
}

// What a button does is known once it was clicked: its tooltip would hide what the click has changed.
function leaveAfterClick({el}) {
  el.addEventListener("click", () => el.dispatchEvent(new MouseEvent("mouseleave")))
}

// A finger has no keys: "Must-link (M)" is "Must-link" there.
function leaveKeysOut({shadow_el}) {
  if (!matchMedia("(pointer: coarse)").matches) return
  const texts = document.createTreeWalker(shadow_el, NodeFilter.SHOW_TEXT)
  while (texts.nextNode()) {
    const {currentNode} = texts
    currentNode.data = currentNode.data.replace(/ \(([A-Z]|Esc)\)$/, "")
  }
}

// The box between them counts up and down by the arrow keys.
function leaveOut(view) {
  for (const button of view.shadow_el.querySelectorAll(".bk-spin-btn")) {
    button.tabIndex = -1
    button.ariaHidden = "true"
  }
}

// A mouse that rests for a moment before it moves or is let go would be a long press, which nothing
// here hears: the drag or the click was lost.
function neverPress(view) {
  view.ui_event_bus.ui_gestures.constructor.press_threshold = LONGEST_TIMER_MS
}

// A figure is cleared half a pixel off: at its edge the colours of another theme would stay.
function clearWhole({primary}) {
  primary.clear = () => primary.undo_transform((context) =>
    context.clearRect(0, 0, primary.canvas.width, primary.canvas.height))
}

// Where the column around a figure hears first that the figure's room has changed, the figure takes
// it for known, and goes on as large as it was.
function fillTheRoom(view) {
  if (view.model.properties.outer_width.is_unset) return // it has not been laid out yet
  const {width, height} = view.bbox, {outer_width, outer_height} = view.model
  const fits = Math.round(width) === outer_width && Math.round(height) === outer_height
  if (view.is_displayed && !fits) view.compute_layout()
}

// A tooltip that stood beside a point stays where it was when the figure moves away from under it.
function forgetTooltips(view) {
  for (const tool of view.tool_views.values()) {
    const {_current_bbox: then} = tool
    if (then && !then.equals(view.frame.bbox)) tool._move_exit()
  }
}

const AFTER = [
  ["Figure", "after_resize", fillTheRoom],
  ["Figure", "after_resize", forgetTooltips],
  ["Canvas", "render", clearWhole],
  ["Canvas", "render", neverPress],
  ["Tabs", "render", listenToTabs],
  ["Tabs", "_update_headers", nameTabs],
  ["Tabs", "update_active", nameTabs],
  ["RadioButtonGroup", "render", sayPressed],
  ["RadioButtonGroup", "_update_active", sayPressed],
  ["Toggle", "render", sayPressed],
  ["Toggle", "_update_active", sayPressed],
  ["Slider", "render", nameSlider],
  ["Spinner", "render", leaveOut],
  ["panel.models.widgets.Button", "render", leaveAfterClick],
  ["Button", "render", leaveKeysOut],
]

// From Bokeh 3.10 on, a view without a context menu has null among its children.
function* descendants(view) {
  yield view
  for (const child of view.children_views()) if (child) yield* descendants(child)
}

function mend() {
  const {Models} = Bokeh
  const range = Models.get("DataRange1d").prototype
  const {initialize, update, _compute_range} = range
  range.initialize = function () {
    initialize.call(this)
    forgetFound(this)
  }
  range.update = function (...args) {
    forgetPlots(this)
    return update.apply(this, args)
  }
  range._compute_range = function (low, high) {
    return _compute_range.apply(this, aboutSomething(this, low, high))
  }
  for (const [model, method, then] of AFTER) {
    const view = Models.get(model).prototype.default_view.prototype
    const original = view[method]
    view[method] = function (...args) {
      const result = original.apply(this, args)
      then(this)
      return result
    }
  }
}

function mendWhatIsThere() {
  for (const root of Bokeh.index.roots) {
    for (const view of descendants(root)) {
      for (const [model, method, then] of AFTER) {
        if (method === "render" && view instanceof Bokeh.Models.get(model).prototype.default_view) {
          then(view)
        }
      }
    }
  }
}

export function render() {
  if (window.Bokeh && !Bokeh.mended_by_ccviz) {
    Bokeh.mended_by_ccviz = true
    mend()
    mendWhatIsThere()
  }
  return document.createElement("span")
}
