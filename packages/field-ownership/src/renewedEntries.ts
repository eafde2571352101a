import type { KubeObject } from "@rollcall/api"
import { isFields, specOf } from "@rollcall/api/values"
import { type FieldSet, isMember } from "./fieldSet.ts"
import { type OwnedFields, type Owners, readOwners, writeOwners } from "./Managers.ts"

type Entries = KubeObject["metadata"]["managedFields"]
type Entry = NonNullable<Entries>[number]

/**
 * Returns the managedFields after a heartbeat: an update in which the writer only changes scalars of the spec that it
 * alone owns already, so that only its time changes. Returns "notRenewal" if the update does more; then the caller must
 * compare the whole objects.
 */
export const renewedEntries = (
  object: KubeObject,
  stored: KubeObject,
  manager: string,
  time: string
): Entries | "notRenewal" => {
  const entries = stored.metadata.managedFields
  const only = entries?.length === 1 ? entries[0] : undefined
  if (only?.time !== undefined && only.manager === manager && renewsAsOnlyOwner(object, stored, only)) {
    return only.time === time ? entries : [{ ...only, time }]
  }
  const owners = readOwners(entries)
  if (owners === undefined) return "notRenewal"
  if (owners.size === 0) return entries
  const [identity, mine] = findUpdater(owners, manager) ?? []
  if (identity === undefined || mine === undefined) return "notRenewal"
  if (!changesOnlyScalars(object, stored, (name) => isOnlyOwner(owners, mine, name))) return "notRenewal"
  return mine.time === time ? entries : writeOwners(new Map(owners).set(identity, { ...mine, time }))
}

/**
 * Whether the update is a heartbeat of the object's only owner, which `only` is the entry of. This is the case of a
 * kubelet's Lease: at ten thousand renewals a second, parsing the entries is too expensive.
 */
const renewsAsOnlyOwner = (object: KubeObject, stored: KubeObject, only: Entry): boolean => {
  const { apiVersion, fieldsType, fieldsV1, operation, subresource } = only
  if (operation !== "Update" || subresource || !apiVersion || fieldsType !== "FieldsV1") return false
  const owned = isFields(fieldsV1) ? fieldsV1["f:spec"] : undefined
  return isFields(owned) && changesOnlyScalars(object, stored, (name) => isOwned(owned[`f:${name}`]))
}

/** Whether the spec differs only in scalars that existed before, and for which `mayChange` returns true. */
const changesOnlyScalars = (object: KubeObject, stored: KubeObject, mayChange: (name: string) => boolean): boolean => {
  const before = specOf(stored)
  const after = specOf(object)
  if (!isFields(before) || !isFields(after)) return false
  for (const name in before) {
    if (before[name] === after[name]) continue
    if (isFields(before[name]) || !isScalar(after[name]) || !mayChange(name)) return false
  }
  for (const name in after) if (before[name] === undefined) return false
  return true
}

const isOwned = (node: unknown): boolean => isFields(node) && isMember(node as FieldSet)

/** Returns the identity and the fields of the Update entry of a manager for the main resource. */
const findUpdater = (owners: Owners, manager: string): readonly [string, OwnedFields] | undefined => {
  for (const entry of owners) {
    const [, owned] = entry
    if (owned.manager === manager && owned.operation === "Update" && owned.subresource === undefined) return entry
  }
  return undefined
}

const isScalar = (value: unknown): boolean => value !== undefined && typeof value !== "object"

/** Whether the manager owns this member of the spec. */
const owns = ({ fields }: OwnedFields, name: string): boolean => {
  const node = fields["f:spec"]?.[`f:${name}`]
  return node !== undefined && isMember(node)
}

const isOnlyOwner = (owners: Owners, mine: OwnedFields, name: string): boolean => {
  if (!owns(mine, name)) return false
  for (const owned of owners.values()) if (owned !== mine && owns(owned, name)) return false
  return true
}

/**
 * The limit of a field manager's name in bytes. Upstream: apimachinery/pkg/apis/meta/v1/validation,
 * FieldManagerMaxLength.
 */
const MAX_MANAGER_BYTES = 128

const bytesOf = (char: string): number => {
  const code = char.codePointAt(0) ?? 0
  if (code < 0x80) return 1
  if (code < 0x800) return 2
  return code < 0x10000 ? 3 : 4
}

/**
 * Returns the field manager of a write: the one of the request, otherwise the start of the user agent. Upstream:
 * apiserver/pkg/endpoints/handlers/create.go, managerOrUserAgent.
 */
export const managerName = (fieldManager: string | undefined, userAgent: string): string => {
  if (fieldManager !== undefined && fieldManager !== "") return fieldManager
  const end = userAgent.indexOf("/")
  const agent = end < 0 ? userAgent : userAgent.slice(0, end)
  // The usual case, a short ASCII name, needs no loop over its characters.
  if (agent.length <= MAX_MANAGER_BYTES / 4 && /^[\x20-\x7e]*$/.test(agent)) return agent === "" ? "unknown" : agent
  let name = ""
  let size = 0
  for (const char of agent) {
    if (!/[\p{L}\p{M}\p{N}\p{P}\p{S} ]/u.test(char)) continue
    size += bytesOf(char)
    if (size > MAX_MANAGER_BYTES) break
    name += char
  }
  return name === "" ? "unknown" : name
}
