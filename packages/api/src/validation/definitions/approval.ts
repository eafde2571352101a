import type { CustomResourceDefinition } from "../../objects/CustomResourceDefinition.ts"
import { goQuote } from "../goFormat.ts"

/** Whether the Kubernetes project has approved a definition in one of its own groups, and why it says so. */
export interface Approval {
  readonly state: "missing" | "bypassed" | "approved" | "invalid"
  readonly reason: string
}

export const approvalAnnotation = "api-approved.kubernetes.io"

const see = "see https://github.com/kubernetes/enhancements/pull/1111"

/** Returns the approval of a definition; undefined for groups that need none. Upstream: pkg/apihelpers/helpers.go. */
export const approvalOf = ({ metadata, spec }: CustomResourceDefinition): Approval | undefined => {
  if (!/(?:^|\.)(?:k8s|kubernetes)\.io$/.test(spec.group)) return undefined
  const text = metadata.annotations?.[approvalAnnotation] ?? ""
  const must = `protected groups must have approval annotation ${goQuote(approvalAnnotation)}`
  if (text === "") return { state: "missing", reason: `${must}, ${see}` }
  if (text.startsWith("unapproved")) return { state: "bypassed", reason: `not approved: ${goQuote(text)}` }
  if (/^[A-Za-z][A-Za-z0-9+.-]*:\/\/[^/\s]+/.test(text)) return { state: "approved", reason: `approved in ${text}` }
  return { state: "invalid", reason: `${must} with either a URL or a reason starting with "unapproved", ${see}` }
}
