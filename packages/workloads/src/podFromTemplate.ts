import { controllerReference, type KubeObject, type Pod, type PodTemplateSpec } from "@rollcall/api"

/**
 * The pod that a controller creates; the API server generates its name. Upstream: pkg/controller/controller_utils.go
 * GetPodFromTemplate.
 */
export const podFromTemplate = (owner: KubeObject, template: PodTemplateSpec): Pod => {
  const { annotations, finalizers, labels } = template.metadata ?? {}
  return {
    apiVersion: "v1",
    kind: "Pod",
    metadata: {
      generateName: `${owner.metadata.name}-`,
      namespace: owner.metadata.namespace ?? "default",
      ...(labels === undefined ? {} : { labels }),
      ...(annotations === undefined ? {} : { annotations }),
      ...(finalizers === undefined ? {} : { finalizers }),
      ownerReferences: [controllerReference(owner)]
    },
    spec: template.spec
  }
}
