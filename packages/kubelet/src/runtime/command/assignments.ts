/** A word that gives a variable a value. */
export const assignment = /^([A-Za-z_]\w*)=/

interface Fields {
  readonly assigned: ReadonlyArray<readonly [name: string, value: string]>
  readonly rest: ReadonlyArray<string>
}

/** Returns the variables that the first fields of a command give values, and the command itself. */
export const withoutAssignments = (fields: ReadonlyArray<string>): Fields => {
  const first = fields.findIndex((field) => !assignment.test(field))
  const count = first < 0 ? fields.length : first
  const assigned = fields.slice(0, count).map((field) => {
    const at = field.indexOf("=")
    return [field.slice(0, at), field.slice(at + 1)] as const
  })
  return { assigned, rest: fields.slice(count) }
}
