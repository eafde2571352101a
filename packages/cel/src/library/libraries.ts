import type { CelFunction } from "../operators.ts"
import { authzLibrary } from "./authz.ts"
import { cidrLibrary } from "./cidr.ts"
import { formatLibrary } from "./format.ts"
import { ipLibrary } from "./ip.ts"
import type { Library } from "./Library.ts"
import { quantityLibrary } from "./quantity.ts"
import { semverLibrary } from "./semver.ts"
import { urlLibrary } from "./url.ts"

const libraries: ReadonlyArray<Library> = [
  quantityLibrary,
  urlLibrary,
  ipLibrary,
  cidrLibrary,
  formatLibrary,
  semverLibrary,
  authzLibrary
]

const merged = <A>(of: (library: Library) => Readonly<Record<string, A>>): Readonly<Record<string, A>> =>
  Object.assign({}, ...libraries.map(of))

export const libraryTypes = merged(({ types }) => types)
/** Types by their names in rules. */
export const libraryTypeNames = merged(({ typeNames, types }) =>
  Object.fromEntries(
    typeNames.flatMap((name) => {
      const type = types[name]
      return type === undefined ? [] : [[type.name, type]]
    })
  )
)
export const libraryOverloads = libraries.flatMap(({ overloads }) => overloads)
export const libraryCosts = merged(({ costs }) => costs)
export const libraryEstimates = merged(({ estimates }) => estimates)
export const libraryEquality = merged(({ equality }) => equality)

/** Returns a function that calls the first of two that accepts the arguments: libraries may share a name. */
export const either =
  (one: CelFunction, other: CelFunction): CelFunction =>
  (args, meter) =>
    one(args, meter) ?? other(args, meter)

const byName = new Map<string, CelFunction>()
for (const { functions } of libraries) {
  for (const [name, work] of Object.entries(functions)) {
    const known = byName.get(name)
    byName.set(name, known === undefined ? work : either(known, work))
  }
}

export const libraryFunctions: Readonly<Record<string, CelFunction>> = Object.fromEntries(byName)
