import type { Table } from "../Table.ts"
import { admissionregistration } from "./admissionregistration.ts"
import { apiextensions } from "./apiextensions.ts"
import { apiregistration } from "./apiregistration.ts"
import { apps } from "./apps.ts"
import { authentication } from "./authentication.ts"
import { authorization } from "./authorization.ts"
import { autoscaling } from "./autoscaling.ts"
import { autoscalingV2 } from "./autoscalingV2.ts"
import { batch } from "./batch.ts"
import { certificates } from "./certificates.ts"
import { connections } from "./connections.ts"
import { containers } from "./containers.ts"
import { coordination } from "./coordination.ts"
import { core } from "./core.ts"
import { devices } from "./devices.ts"
import { discovery } from "./discovery.ts"
import { events } from "./events.ts"
import { flowcontrol } from "./flowcontrol.ts"
import { aggregatedDiscovery, groupDocuments } from "./groupDiscovery.ts"
import { meta } from "./meta.ts"
import { networking } from "./networking.ts"
import { node } from "./node.ts"
import { nodes } from "./nodes.ts"
import { partialMetadata, partialMetadataV1beta1 } from "./partialMetadata.ts"
import { persistentVolumes } from "./persistentVolumes.ts"
import { placement } from "./placement.ts"
import { podStatus } from "./podStatus.ts"
import { pods } from "./pods.ts"
import { policy } from "./policy.ts"
import { quotas } from "./quotas.ts"
import { rbac } from "./rbac.ts"
import { scheduling } from "./scheduling.ts"
import { services } from "./services.ts"
import { storage } from "./storage.ts"
import { volumePlugins } from "./volumePlugins.ts"
import { volumes } from "./volumes.ts"

/** All tables. */
export const tables: ReadonlyArray<Table> = [
  nodes,
  pods,
  placement,
  podStatus,
  containers,
  connections,
  volumes,
  persistentVolumes,
  volumePlugins,
  services,
  core,
  quotas,
  meta,
  partialMetadata,
  partialMetadataV1beta1,
  groupDocuments,
  aggregatedDiscovery,
  apps,
  batch,
  coordination,
  policy,
  scheduling,
  flowcontrol,
  storage,
  node,
  rbac,
  networking,
  discovery,
  devices,
  events,
  apiextensions,
  apiregistration,
  certificates,
  admissionregistration,
  autoscaling,
  autoscalingV2,
  authentication,
  authorization
]
