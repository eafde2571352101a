/**
 * The maximum length of a name that is compared, in characters. No name of Kubernetes is as long, and the work grows with
 * the square of the length.
 */
const MAX_COMPARED = 512

const editDistance = (left: string, right: string): number => {
  let row = Array.from({ length: right.length + 1 }, (_, index) => index)
  for (let i = 1; i <= left.length; i++) {
    const next = [i]
    for (let j = 1; j <= right.length; j++) {
      const substitution = (row[j - 1] ?? 0) + (left[i - 1] === right[j - 1] ? 0 : 1)
      next.push(Math.min(substitution, (row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1))
    }
    row = next
  }
  return row[right.length] ?? 0
}

/**
 * Returns the one name of which another is the first part, up to a dot or a hyphen: `--data-dir`, or the host name by which a cloud names
 * its node, `ip-10-0-1-10.ec2.internal`.
 */
const completed = (name: string, names: Iterable<string>): string | undefined => {
  let found: string | undefined
  for (const candidate of names) {
    if (!candidate.startsWith(name) || !/[.-]/.test(candidate.charAt(name.length))) continue
    if (found !== undefined) return undefined
    found = candidate
  }
  return found
}

/**
 * Returns the name that a misspelt one probably means, if one is similar enough, or the only one that it is the first part of. A name of more than 512 characters has none:
 * the work for one candidate is bounded, whatever a person wrote.
 */
export const nearest = (name: string, candidates: Iterable<string>): string | undefined => {
  if (name.length > MAX_COMPARED) return undefined
  const written = name.toLowerCase()
  const names = [...candidates]
  let best: string | undefined
  let bestDistance = Math.max(2, Math.ceil(name.length / 3)) + 1
  for (const candidate of names) {
    // Two names are at least as far apart as their lengths are.
    if (Math.abs(candidate.length - name.length) >= bestDistance) continue
    const distance = editDistance(written, candidate.toLowerCase())
    if (distance < bestDistance) {
      best = candidate
      bestDistance = distance
    }
  }
  return best ?? completed(written, names)
}

/** Returns `; did you mean "x"?`, or an empty text. */
export const didYouMean = (name: string, names: Iterable<string>): string => {
  const candidate = nearest(name, names)
  return candidate === undefined || candidate === name ? "" : `; did you mean "${candidate}"?`
}
