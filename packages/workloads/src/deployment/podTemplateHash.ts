import { canonicalJson, type PodTemplateSpec, type ReplicaSet } from "@rollcall/api"
import { fnv1a } from "@rollcall/time"
import { safeEncode } from "../safeEncode.ts"

export const labelPodTemplateHash = "pod-template-hash"

const textByTemplate = new WeakMap<PodTemplateSpec, string>()

/** The template as text, without the label for its hash. Templates are immutable, so this is computed once. */
const templateText = (template: PodTemplateSpec): string => {
  const cached = textByTemplate.get(template)
  if (cached !== undefined) return cached
  const { [labelPodTemplateHash]: _, ...labels } = template.metadata?.labels ?? {}
  const text = canonicalJson({ ...template, metadata: { ...template.metadata, labels } })
  textByTemplate.set(template, text)
  return text
}

/**
 * The hash of a template: FNV-1a over it and the collision count. Kubernetes hashes its own memory layout; the hashes
 * here have the same form and purpose, but differ. Upstream: pkg/controller/controller_utils.go ComputeHash.
 */
export const podTemplateHash = (template: PodTemplateSpec, collisionCount = 0): string => {
  const text = collisionCount === 0 ? templateText(template) : `${templateText(template)}${collisionCount}`
  return safeEncode(fnv1a(text))
}

/** Whether a set creates pods of this template. Upstream: pkg/controller/deployment/util EqualIgnoreHash. */
export const hasTemplate = ({ spec }: ReplicaSet, template: PodTemplateSpec): boolean =>
  spec.template !== undefined && templateText(spec.template) === templateText(template)
