import type { PodTemplate, ReplicationController } from "../objects/ReplicationController.ts"
import { withDefaults, withFields } from "./fill.ts"
import { completePodTemplate } from "./pod.ts"

const isEmpty = (map: object | undefined): boolean => map === undefined || Object.keys(map).length === 0

/** A controller without a selector or labels has those of its pods. Upstream: SetDefaults_ReplicationController. */
export const defaultReplicationController = (controller: ReplicationController): ReplicationController => {
  const { metadata } = controller
  const given = controller.spec ?? {}
  const labels = given.template?.metadata?.labels
  const spec = withFields(withDefaults(given, { replicas: 1 }), {
    template: given.template && completePodTemplate(given.template),
    selector: isEmpty(given.selector) ? labels : undefined
  })
  return withFields(controller, {
    spec,
    metadata: labels !== undefined && isEmpty(metadata.labels) ? { ...metadata, labels } : undefined
  })
}

export const defaultPodTemplate = (object: PodTemplate): PodTemplate =>
  withFields(object, { template: completePodTemplate(object.template) })
