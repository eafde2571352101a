import { parseField, splitDescription } from "./parse.ts"
import type { Table } from "./Table.ts"
import { tables } from "./tables/index.ts"
import type { FieldType, MessageType } from "./WireType.ts"

export interface GroupVersionKind {
  readonly group: string
  readonly version: string
  readonly kind: string
}

/** Splits `lastTransitionTime` into words. */
const inWords = (name: string): string => {
  const words = name.replace(/^x-kubernetes-/, "").replace(/([a-z0-9])([A-Z])/g, (_, a, b) => `${a} ${b.toLowerCase()}`)
  return `${words.slice(0, 1).toUpperCase()}${words.slice(1)}`
}

const versionOf = (table: Table): string => table.package.slice(table.package.lastIndexOf(".") + 1)

/** A message of a table; its fields are parsed on first use. */
class TableMessage implements MessageType {
  readonly name: string
  readonly goPackage: string
  readonly fullName: string
  readonly description: string
  readonly atomic: boolean
  readonly gvk?: GroupVersionKind
  readonly embeds?: ReadonlyArray<string>
  readonly isUnion: boolean
  readonly #lines: ReadonlyArray<string>
  readonly #table: Table
  readonly #isDescribed: boolean
  #fields: ReadonlyMap<string, FieldType> | undefined

  constructor(table: Table, heading: string, lines: ReadonlyArray<string>) {
    const [definition, description] = splitDescription(heading)
    const [name = "", ...options] = definition.split(" ")
    this.name = name
    this.goPackage = versionOf(table)
    this.fullName = `${table.package}.${name}`
    this.description = description ?? `${inWords(name)}.`
    this.atomic = options.includes("structType=atomic")
    this.isUnion = options.includes("union")
    this.#isDescribed = !options.includes("undescribed")
    this.#lines = lines
    this.#table = table
    const embeds = options.find((option) => option.startsWith("embeds="))
    if (embeds !== undefined) this.embeds = embeds.slice("embeds=".length).split(".")
    if (options.includes("kind")) this.gvk = { group: table.group, version: this.goPackage, kind: name }
  }

  get fields(): ReadonlyMap<string, FieldType> {
    this.#fields ??= new Map(
      this.#lines.map((line) => {
        const field = parseField(line, (name) => messageIn(this.#table, name), this.#describe)
        return [field.name, field]
      })
    )
    return this.#fields
  }

  readonly #describe = (field: string): string | undefined => {
    if (!this.#isDescribed) return undefined
    if (this.gvk !== undefined && field === "metadata") return "Standard object's metadata."
    return `${inWords(field)} of ${this.name}.`
  }
}

const gvkKey = ({ group, version, kind }: GroupVersionKind): string => `${group}/${version}/${kind}`

/** Returns the table lines of a kind's list. */
const listTable = (table: Table, kind: string): readonly [heading: string, lines: ReadonlyArray<string>] => [
  `${kind}List kind # A list of ${kind} objects.`,
  [
    `metadata 1 ${table.package.endsWith("meta.v1") ? "" : "meta."}ListMeta byValue # Standard list metadata.`,
    `items 2 []${kind} required listType=none # The objects.`
  ]
]

/** A message that is made on first use: most programs need few of them. */
type Lazy = () => TableMessage

const lazily = (make: Lazy): Lazy => {
  let made: TableMessage | undefined
  return () => {
    made ??= make()
    return made
  }
}

interface Index {
  readonly byFullName: ReadonlyMap<string, Lazy>
  readonly byGvk: ReadonlyMap<string, Lazy>
}

const KIND = / kind(?= |$)/
const HAS_LIST = / hasList(?= |$)/

const buildIndex = (): Index => {
  const byFullName = new Map<string, Lazy>()
  const byGvk = new Map<string, Lazy>()
  const add = (table: Table, definition: string, name: string, make: Lazy) => {
    const message = lazily(make)
    byFullName.set(`${table.package}.${name}`, message)
    if (KIND.test(definition)) byGvk.set(gvkKey({ group: table.group, version: versionOf(table), kind: name }), message)
  }
  for (const table of tables) {
    for (const block of table.messages.trim().split(/\n(?=\S)/)) {
      const end = block.indexOf("\n")
      const heading = end < 0 ? block : block.slice(0, end)
      const [definition] = splitDescription(heading)
      const [name = ""] = definition.split(" ", 1)
      add(
        table,
        definition,
        name,
        () => new TableMessage(table, heading, end < 0 ? [] : block.slice(end + 1).split("\n"))
      )
      if (!HAS_LIST.test(definition)) continue
      add(table, " kind", `${name}List`, () => new TableMessage(table, ...listTable(table, name)))
    }
  }
  return { byFullName, byGvk }
}

let built: Index | undefined
const index = (): Index => {
  built ??= buildIndex()
  return built
}

const packages: Readonly<Record<string, string>> = {
  meta: "io.k8s.apimachinery.pkg.apis.meta.v1",
  core: "io.k8s.api.core.v1"
}

/** Returns the message that a table refers to by this name. */
const messageIn = (table: Table, name: string): MessageType => {
  const [qualifier = "", inner] = name.split(".")
  const fullName = inner === undefined ? `${table.package}.${name}` : `${packages[qualifier]}.${inner}`
  const message = index().byFullName.get(fullName)?.()
  if (message === undefined) throw new Error(`no message ${fullName} in the wire tables`)
  return message
}

/** Returns a message by its OpenAPI name: `io.k8s.api.core.v1.NodeSpec`. */
export const wireTypeNamed = (fullName: string): MessageType | undefined => index().byFullName.get(fullName)?.()

/** Returns the message of a kind or of its list (`NodeList`). */
export const wireTypeOfGvk = (gvk: GroupVersionKind): MessageType | undefined => index().byGvk.get(gvkKey(gvk))?.()

/** Returns all messages, including lists of kinds. */
export const wireTypes = (): Iterable<MessageType> => Array.from(index().byFullName.values(), (message) => message())
