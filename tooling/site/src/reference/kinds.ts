import { isKindName, resourceOf } from "@rollcall/api"
import { type FieldType, type MessageType, type WireType, wireTypes } from "@rollcall/api/wire"
import { breakable, escapeHtml } from "../content/escape.ts"
import type { Group, Page } from "../Site.ts"
import { code, entries, heading, inline, referenceGroup, referencePage } from "./html.ts"

/** Returns the package of a message: `io.k8s.api.core.v1` of `io.k8s.api.core.v1.NodeSpec`. */
const packageOf = ({ fullName }: MessageType): string => fullName.slice(0, fullName.lastIndexOf("."))

/** Returns the name of a package's page: `core.v1`. */
const pageName = (name: string): string => name.split(".").slice(-2).join(".")

const linkTo = (message: MessageType, from: string): string => {
  const to = packageOf(message)
  const page = to === from ? "" : `${pageName(to)}.html`
  return `<a href="${page}#${message.name}">${escapeHtml(message.name)}</a>`
}

const typeText = (type: WireType, from: string): string => {
  switch (type.type) {
    case "scalar":
      return type.scalar
    case "message":
      return linkTo(type.message, from)
    case "list":
      return `[]${typeText(type.items, from)}`
    case "map":
      return `map[string]${typeText(type.values, from)}`
  }
}

/** How patches and server-side apply treat a field, where it is not the rule of its type. */
const mergeText = ({ patchMergeKey, patchStrategy, type }: FieldType): string => {
  const parts: Array<string> = []
  if (type.type === "list" && type.listType !== "atomic")
    parts.push(type.listType === "set" ? "merged as a set" : `merged by ${type.keys.map(code).join(", ")}`)
  if (type.type === "map" && type.mapType === "atomic") parts.push("replaced as a whole")
  if (patchStrategy !== undefined)
    parts.push(
      `strategic merge patch: ${patchStrategy}${patchMergeKey === undefined ? "" : ` by ${code(patchMergeKey)}`}`
    )
  return parts.length === 0 ? "" : ` <span class="facts">(${parts.join("; ")})</span>`
}

const fieldText = (field: FieldType): string => {
  const choices = field.enum === undefined ? "" : ` One of ${field.enum.map((value) => code(value)).join(", ")}.`
  return `${inline(field.description ?? "")}${choices}${mergeText(field)}`
}

const fieldList = (message: MessageType): string =>
  message.fields.size === 0
    ? ""
    : entries(
        [...message.fields.values()].map((field) => ({
          anchor: `${message.name}.${field.name}`,
          name: field.name,
          required: field.required,
          type: typeText(field.type, packageOf(message)),
          initial:
            field.default === undefined || typeof field.default === "object" ? "" : JSON.stringify(field.default),
          description: fieldText(field)
        }))
      )

/** Returns the names of a served kind on the command line and in paths. */
const servedText = ({ gvk, name }: MessageType): string => {
  if (gvk === undefined || !isKindName(name)) return ""
  const { group, namespaced, plural, shortNames, version } = resourceOf(name)
  if (group !== gvk.group || version !== gvk.version) return ""
  const base = group === "" ? `/api/${version}` : `/apis/${group}/${version}`
  const path = `${base}${namespaced ? "/namespaces/NAMESPACE" : ""}/${plural}/NAME`
  const short = shortNames.length === 0 ? "" : ` (${shortNames.map(code).join(", ")})`
  return `<p class="facts">${namespaced ? "In namespaces" : "In no namespace"}: ${code(plural)}${short}, ${code(path)}</p>\n`
}

const messageBody = (message: MessageType): string =>
  `${heading(3, message.name, breakable(message.name))}<p>${inline(message.description ?? "")}</p>\n${servedText(message)}${fieldList(message)}`

const isList = (message: MessageType): boolean =>
  message.gvk !== undefined && message.fields.has("items") && message.name.endsWith("List")

const packagePage = (name: string, messages: ReadonlyArray<MessageType>): Page => {
  const kinds = messages.filter((message) => message.gvk !== undefined && !isList(message))
  const parts = messages.filter(({ gvk }) => gvk === undefined)
  const isShared = name.startsWith("io.k8s.apimachinery.")
  const { group = "", version = "" } = kinds[0]?.gvk ?? {}
  const apiVersion = group === "" ? version : `${group}/${version}`
  const section = (title: string, list: ReadonlyArray<MessageType>) =>
    list.length === 0 ? "" : heading(2, title.toLowerCase(), title) + list.map(messageBody).join("")
  const about = isShared
    ? "<p>Types that the kinds of all groups use.</p>\n"
    : `<p>The kinds of ${code(`apiVersion: ${apiVersion}`)} with the types of their fields, as the API server reads and writes them.</p>\n`
  const label = isShared || group === "" ? pageName(name).replace(".", "/") : apiVersion
  return referencePage(
    `kinds/${pageName(name)}`,
    label,
    breakable(label),
    about + section("Kinds", kinds) + section("Types", parts)
  )
}

/** Makes a page for each group of the API: its kinds, and the types of their fields. */
export const kindPages = (): Group => {
  const byPackage = Map.groupBy(wireTypes(), packageOf)
  const pages = [...byPackage].map(([name, messages]) => packagePage(name, messages))
  return referenceGroup("Kubernetes' kinds", pages)
}
