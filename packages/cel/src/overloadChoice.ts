import { type Overload, overloadsOf } from "./overloads.ts"
import { type CelType, DYN, type Substitution, sameType } from "./types.ts"

/** The overloads that a call may have, and the type of its result. */
export interface Choice {
  readonly ids: ReadonlyArray<string>
  readonly result: CelType
}

/** Kinds that may be assignable to a different kind. */
const assignableKinds: ReadonlySet<string> = new Set(["dyn", "error", "null_type", "param", "wrapper"])

/**
 * Returns the overloads of a function that accept arguments of these types; undefined if none does. The first of `types`
 * is the target of a method. Upstream: cel-go/checker/checker.go, resolveOverload.
 */
export const chooseOverloads = (
  name: string,
  isMethod: boolean,
  types: ReadonlyArray<CelType>,
  substitution: Substitution
): Choice | undefined => {
  const ids: Array<string> = []
  let result: CelType | undefined
  for (const overload of overloadsOf(name)) {
    if (overload.member !== isMethod || !kindsMatch(overload, types, substitution)) continue
    const own = withFreshParameters(substitution)
    if (!substitution.assignAll(types, overload.params.map(own))) continue
    ids.push(overload.id)
    const found = substitution.partlyResolved(own(overload.result))
    if (result === undefined) result = found
    else if (result.kind !== "dyn" && !sameType(found, result)) result = DYN
  }
  return result === undefined ? undefined : { ids, result }
}

/** Returns a function that replaces the parameters of an overload by unknown ones. */
const withFreshParameters = (substitution: Substitution): ((type: CelType) => CelType) => {
  const fresh = new Map<string, CelType>()
  const own = (type: CelType): CelType => {
    if (type.kind === "param") {
      const known = fresh.get(type.name) ?? substitution.fresh()
      fresh.set(type.name, known)
      return known
    }
    return type.params.length === 0 ? type : { ...type, params: type.params.map(own) }
  }
  return own
}

/** Whether the kinds alone match: this excludes most overloads quickly. */
const kindsMatch = ({ params }: Overload, types: ReadonlyArray<CelType>, substitution: Substitution): boolean =>
  params.length === types.length &&
  params.every(({ kind }, index) => {
    const found = substitution.shallow(types[index] ?? DYN).kind
    return found === kind || assignableKinds.has(kind) || assignableKinds.has(found)
  })
