// Sets of completion indexes in the form of the status: `0-3,7`. Upstream: pkg/controller/job/indexed_job_utils.go.

/** Parses a set of indexes. Indexes from `completions` on, and invalid parts, are skipped. */
export const parseIndexes = (text: string | undefined, completions = Number.POSITIVE_INFINITY): ReadonlySet<number> => {
  const indexes = new Set<number>()
  if (text === undefined || text === "") return indexes
  for (const part of text.split(",")) {
    const found = /^([0-9]+)(?:-([0-9]+))?$/.exec(part)
    if (found === null) continue
    const last = Math.min(Number(found[2] ?? found[1]), completions - 1)
    for (let index = Number(found[1]); index <= last; index++) indexes.add(index)
  }
  return indexes
}

/** Formats a set of indexes. Three or more consecutive ones become a range. */
export const formatIndexes = (indexes: Iterable<number>): string => {
  const sorted = [...indexes].sort((left, right) => left - right)
  const parts: Array<string> = []
  for (let from = 0; from < sorted.length; ) {
    let to = from
    while (sorted[to + 1] === (sorted[to] ?? 0) + 1) to++
    const [first, last] = [sorted[from], sorted[to]]
    parts.push(to === from ? `${first}` : to === from + 1 ? `${first},${last}` : `${first}-${last}`)
    from = to + 1
  }
  return parts.join(",")
}
