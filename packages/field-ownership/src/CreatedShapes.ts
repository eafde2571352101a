import type { ManagedFieldsEntry } from "@rollcall/api"
import type { FieldSet } from "./fieldSet.ts"
import { identityOf, type Manager, type Owners, writeOwners } from "./Managers.ts"
import { sameShape } from "./sameShape.ts"
import type { WriteContext } from "./WriteContext.ts"

type Entries = ReadonlyArray<ManagedFieldsEntry>

interface Created {
  readonly object: object
  readonly writer: Manager
  readonly time: string | undefined
  readonly fields: FieldSet
  readonly entries: Entries
}

/** The number of objects of a kind that are remembered. */
const REMEMBERED = 4

/**
 * The last new objects of each kind. Most have the fields of an earlier one, as the pods of a ReplicaSet have: they share
 * its managedFields, or at least the set of fields, and no set is built.
 */
export class CreatedShapes {
  private readonly byKind = new WeakMap<object, Array<Created>>()

  /** Returns the managedFields of a new object if they follow from those of an earlier one. */
  entriesOf(kind: object, object: object, { empty, schema, time, writer }: WriteContext): Entries | undefined {
    const all = this.byKind.get(kind)
    const at = all?.findIndex((each) => sameShape(empty, each.object, object, schema)) ?? -1
    const known = all?.[at]
    if (all === undefined || known === undefined) return undefined
    const { fields } = known
    const entries = isBy(known, writer, time) ? known.entries : entriesBy(writer, time, fields)
    if (at > 0) {
      all.splice(at, 1)
      all.unshift(known)
    }
    if (entries !== known.entries) all[0] = { object, writer, time, fields, entries }
    return entries
  }

  /** Remembers a new object that its writer alone owns. */
  remember(kind: object, object: object, owners: Owners, entries: Entries): void {
    const [writer] = owners.values()
    if (writer === undefined || owners.size > 1) return
    const all = this.byKind.get(kind) ?? []
    all.unshift({ object, writer, time: writer.time, fields: writer.fields, entries })
    if (all.length > REMEMBERED) all.pop()
    this.byKind.set(kind, all)
  }
}

const isBy = (known: Created, { apiVersion, manager, operation, subresource }: Manager, time: string | undefined) => {
  const { writer } = known
  return (
    known.time === time &&
    writer.manager === manager &&
    writer.apiVersion === apiVersion &&
    writer.operation === operation &&
    writer.subresource === subresource
  )
}

const entriesBy = (writer: Manager, time: string | undefined, fields: FieldSet): Entries =>
  writeOwners(new Map([[identityOf(writer), { ...writer, fields, time }]])) ?? []
