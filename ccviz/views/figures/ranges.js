// A range of Bokeh's makes room for all that its plots drew, and remembers the plots of tabs that
// were left for good: what they drew last would hold the axis wide for ever.
export function render() {
  const range = window.Bokeh?.Models.get("DataRange1d").prototype
  if (range && !range.forgets) {
    const {update} = range
    range.forgets = true
    range.update = function (...args) {
      for (const plot of this._plot_bounds.keys()) {
        if (plot.is_destroyed) this._plot_bounds.delete(plot)
      }
      return update.apply(this, args)
    }
  }
  return document.createElement("span")
}
