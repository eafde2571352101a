import * as Schema from "effect/Schema"

/** One thing that is wrong with a kubeconfig: where, what was found and what was expected. */
export interface KubeconfigProblem {
  readonly file: string
  /** `users[0].user.token`, `line 3`, or empty for the file as a whole. */
  readonly path: string
  readonly message: string
}

/** A kubeconfig, or a file that it names, cannot be used. */
export class KubeconfigError extends Schema.TaggedError<KubeconfigError>()("KubeconfigError", {
  problems: Schema.Array(Schema.Struct({ file: Schema.String, path: Schema.String, message: Schema.String }))
}) {
  override get message(): string {
    return this.problems.map(formatProblem).join("\n")
  }
}

export const formatProblem = ({ file, message, path }: KubeconfigProblem): string =>
  [file, path, message].filter((part) => part !== "").join(": ")

export const problem = (file: string, path: string, message: string): KubeconfigError =>
  new KubeconfigError({ problems: [{ file, path, message }] })

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

/** `; did you mean "x"?` for the nearest name, else what there is. */
export const suggestion = (name: string, names: ReadonlyArray<string>): string => {
  const limit = Math.max(2, Math.ceil(name.length / 3))
  const [near] = names
    .map((known) => ({ known, distance: editDistance(name.toLowerCase(), known.toLowerCase()) }))
    .filter(({ distance }) => distance <= limit)
    .toSorted((left, right) => left.distance - right.distance)
  if (near !== undefined) return `; did you mean "${near.known}"?`
  return names.length === 0 ? "; there are none" : `; there are: ${names.join(", ")}`
}
