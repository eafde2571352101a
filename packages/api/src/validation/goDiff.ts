import { escapeHtml } from "../json.ts"
import { sortedEntries } from "../sortedEntries.ts"
import { isOmittedByGo, isUnsetList } from "../wire/decode/goTypes.ts"
import type { FieldType, MessageType, WireType } from "../wire/WireType.ts"
import { wireTypeNamed } from "../wire/wireTypes.ts"
import { sortedMap } from "./goFormat.ts"
import { goName } from "./goNames.ts"
import { lineEdits } from "./lineEdits.ts"

/*
 * The difference of two values as Kubernetes shows it: a unified diff of the JSON of its internal Go structs, which have
 * no JSON tags. Upstream: apimachinery/pkg/util/diff.
 */

const zeroScalars: Readonly<Record<string, unknown>> = { string: "", bool: false, int32: 0, int64: 0, double: 0 }

const internalForm = (type: WireType, value: unknown, pointer: boolean): unknown => {
  const isAbsent = value === undefined || value === null
  switch (type.type) {
    case "scalar":
      return isAbsent ? (pointer ? null : (zeroScalars[type.scalar] ?? null)) : value
    case "list":
      if (isAbsent || isUnsetList(value)) return null
      return (value as ReadonlyArray<unknown>).map((item) => internalForm(type.items, item, false))
    case "map":
      if (isAbsent) return null
      return Object.fromEntries(
        sortedEntries(value as Readonly<Record<string, unknown>>).map(([key, item]) => [
          key,
          internalForm(type.values, item, false)
        ])
      )
    case "message":
      return isAbsent && pointer
        ? null
        : internalMessage(type.message, (value ?? {}) as Readonly<Record<string, unknown>>)
  }
}

type Fields = Readonly<Record<string, unknown>>

/** The internal struct of pod specs has some fields in its security context, and others in another order. */
const hostFields = ["hostNetwork", "hostPID", "hostIPC", "shareProcessNamespace", "hostUsers"]
const pointerHostFields = ["shareProcessNamespace", "hostUsers"]
const podFields =
  "volumes initContainers containers ephemeralContainers restartPolicy terminationGracePeriodSeconds activeDeadlineSeconds dnsPolicy nodeSelector serviceAccountName automountServiceAccountToken nodeName securityContext imagePullSecrets hostname subdomain setHostnameAsFQDN affinity schedulerName tolerations hostAliases priorityClassName priority preemptionPolicy dnsConfig readinessGates runtimeClassName overhead enableServiceLinks topologySpreadConstraints os schedulingGates resourceClaims resources hostnameOverride schedulingGroup"
const securityFields =
  "seLinuxOptions windowsOptions runAsUser runAsGroup runAsNonRoot supplementalGroups supplementalGroupsPolicy fsGroup fsGroupChangePolicy sysctls seccompProfile appArmorProfile seLinuxChangePolicy"

/** Returns the fields of a message in the order of its internal struct. */
const ordered = (
  type: MessageType,
  names: string
): ReadonlyArray<readonly [name: string, field: FieldType | undefined]> =>
  names.split(" ").map((name) => [name, type.fields.get(name)])

const internalPodSpec = (type: MessageType, value: Fields): unknown =>
  Object.fromEntries(
    ordered(type, podFields).map(([name, field]) => {
      const form = field === undefined ? null : internalForm(field.type, value[name], field.pointer)
      if (name !== "securityContext" || form === null) return [goName(name), form]
      const hosts = hostFields.map((host) => [
        goName(host),
        value[host] ?? (pointerHostFields.includes(host) ? null : false)
      ])
      const given = (value[name] ?? {}) as Fields
      const own = field?.type.type === "message" ? ordered(field.type.message, securityFields) : []
      const rest = own.map(([part, of]) => [goName(part), of && internalForm(of.type, given[part], of.pointer)])
      return [goName(name), Object.fromEntries([...hosts, ...rest])]
    })
  )

/** Returns the given fields of a message of meta/v1, whose structs keep their JSON tags, in the order of its type. */
const inOrder = (type: MessageType, value: Fields): Fields =>
  Object.fromEntries(
    [...type.fields]
      .filter(([name, field]) => value[name] !== undefined && !isOmittedByGo(field, value[name]))
      .map(([name, { type: of }]) => [name, taggedForm(of, value[name])])
  )

const taggedForm = (type: WireType, value: unknown): unknown => {
  if (type.type === "map") return sortedMap(value as Fields)
  if (type.type === "message") return inOrder(type.message, value as Fields)
  return type.type === "list" ? (value as ReadonlyArray<unknown>).map((item) => taggedForm(type.items, item)) : value
}

/** The fields that follow another one in the internal struct than in the type of the wire. */
const moved: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  Volume: { quobyte: "rbd", projected: "photonPersistentDisk" },
  PersistentVolumeSpec: { quobyte: "rbd", flexVolume: "iscsi" },
  JobSpec: { podFailurePolicy: "completions", successPolicy: "podFailurePolicy" }
}

/** Returns the fields of a message in the order of its internal struct. */
const fieldsOf = (type: MessageType): ReadonlyArray<FieldType> => {
  const fields = [...type.fields.values()]
  for (const [name, before] of Object.entries(moved[type.name] ?? {})) {
    const from = fields.findIndex((field) => field.name === name)
    const [field] = fields.splice(from, 1)
    if (field !== undefined) fields.splice(fields.findIndex((other) => other.name === before) + 1, 0, field)
  }
  return fields
}

/** Returns the internal form of a message; `embedded` of only the struct that it embeds. */
const internalMessage = (type: MessageType, value: Fields, embedded = false): unknown => {
  if (type.name === "PodSpec") return internalPodSpec(type, value)
  if (type.fullName.startsWith("io.k8s.apimachinery.")) return inOrder(type, value)
  // Templates embed their metadata.
  if (type.name === "PodTemplateSpec" || type.name === "PersistentVolumeClaimTemplate") {
    const form = (name: string) => {
      const field = type.fields.get(name)
      return field === undefined ? null : internalForm(field.type, value[name], false)
    }
    return { ...(form("metadata") as Fields), Spec: form("spec") }
  }
  return Object.fromEntries(
    fieldsOf(type)
      .filter(({ embeddedIn }) => !embedded || embeddedIn !== undefined)
      .map((field) => [goName(field.name, type.name), internalForm(field.type, value[field.name], field.pointer)])
  )
}

const typeOf = (name: string): MessageType | undefined =>
  wireTypeNamed(`io.k8s.api.${name.includes(".") ? name : `core.v1.${name}`}`)

/** Returns a value as messages show it; the type is one of the core group, or has its group: `batch.v1.SuccessPolicy`. */
export const internalJson = (typeName: string, value: object): unknown => {
  const type = typeOf(typeName)
  return type === undefined ? value : internalMessage(type, value as Fields)
}

const linesOf = (type: MessageType, value: object, embedded: boolean): ReadonlyArray<string> => {
  const form = internalMessage(type, value as Fields, embedded)
  return escapeHtml(JSON.stringify(form, null, 1)).split("\n")
}

const CONTEXT_LINES = 3
const rangeOf = (start: number, count: number): string =>
  count === 1 ? `${start + 1}` : `${count === 0 ? start : start + 1},${count}`

/**
 * Returns the hunks of the unified diff of two values of a type of the core group, or "" if nothing differs. With
 * `embedded` the values are those of the struct that the type embeds.
 */
export const goDiff = (typeName: string, old: object, next: object, embedded = false): string => {
  const type = typeOf(typeName)
  if (type === undefined) return ""
  const edits = lineEdits(linesOf(type, old, embedded), linesOf(type, next, embedded))
  const isNear = edits.map((_, index) =>
    edits.slice(Math.max(0, index - CONTEXT_LINES), index + CONTEXT_LINES + 1).some(([mark]) => mark !== " ")
  )
  let out = ""
  let [fromLine, toLine] = [0, 0]
  for (let index = 0; index < edits.length; ) {
    let end = index
    while (isNear[end] === true) end++
    const hunk = edits.slice(index, end)
    const removed = hunk.filter(([mark]) => mark !== "+").length
    const added = hunk.filter(([mark]) => mark !== "-").length
    if (hunk.length > 0) {
      out += `@@ -${rangeOf(fromLine, removed)} +${rangeOf(toLine, added)} @@\n`
      out += hunk.map(([mark, line]) => `${mark}${line}\n`).join("")
    }
    const skipped = hunk.length === 0 ? 1 : 0
    fromLine += removed + skipped
    toLine += added + skipped
    index = end + skipped
  }
  return out
}
