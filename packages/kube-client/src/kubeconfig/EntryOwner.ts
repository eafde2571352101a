import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import type { Kubeconfig } from "./Kubeconfig.ts"
import { ProcessIdentity } from "./Processes.ts"

/**
 * The owner of a kubeconfig entry: a cluster of Rollcall, and the process that runs it. It is stored in the entry's
 * extensions, which kubectl preserves, so that an entry is recognized whatever its name. Upstream: clientcmd/api/v1
 * NamedExtension.
 */
export const EntryOwner = Schema.Struct({
  cluster: Schema.String,
  ...ProcessIdentity.fields,
  /** For a context: the context that was current before it. */
  previousContext: Schema.optionalKey(Schema.String)
})
export interface EntryOwner extends Schema.Schema.Type<typeof EntryOwner> {}

const EXTENSION = "rollcall.dev/owner"

/** Returns the extensions that record an owner. */
export const extensionsOf = (owner: EntryOwner): ReadonlyArray<object> => [{ name: EXTENSION, extension: owner }]

const decode = Schema.decodeUnknownOption(EntryOwner)
const isExtension = Schema.is(Schema.Struct({ name: Schema.Literal(EXTENSION), extension: Schema.Unknown }))

/** Returns the owner that an entry's extensions record; undefined if the entry is not Rollcall's. */
export const ownerIn = (extensions: unknown): EntryOwner | undefined => {
  const found = Array.isArray(extensions) ? extensions.find(isExtension) : undefined
  return found === undefined ? undefined : Option.getOrUndefined(decode(found.extension))
}

export const sections = ["clusters", "contexts", "users"] as const
export type Section = (typeof sections)[number]

/** A kubeconfig entry with its owner. */
export interface OwnedEntry {
  readonly section: Section
  readonly index: number
  readonly name: string
  readonly owner: EntryOwner | undefined
}

export const entriesOf = ({ clusters, contexts, users }: Kubeconfig): ReadonlyArray<OwnedEntry> => {
  const from = (section: Section, found: ReadonlyArray<{ readonly name: string; readonly extensions: unknown }>) =>
    found.map(({ extensions, name }, index) => ({ section, index, name, owner: ownerIn(extensions) }))
  return [
    ...from(
      "clusters",
      (clusters ?? []).map(({ cluster, name }) => ({ name, extensions: cluster.extensions }))
    ),
    ...from(
      "contexts",
      (contexts ?? []).map(({ context, name }) => ({ name, extensions: context.extensions }))
    ),
    ...from(
      "users",
      (users ?? []).map(({ name, user }) => ({ name, extensions: user.extensions }))
    )
  ]
}

/** Returns the label of an entry in messages: `users/kubernetes-admin`. */
export const labelOf = ({ name, section }: Pick<OwnedEntry, "name" | "section">): string => `${section}/${name}`
