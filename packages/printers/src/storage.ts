import {
  type CSIDriver,
  type CSINode,
  formatQuantity,
  isDefaultStorageClass,
  type KubeObject,
  type PersistentVolume,
  type PersistentVolumeClaim,
  type Quantity,
  type StorageClass,
  storageClassNameOf,
  type VolumeAttachment,
  type VolumeAttributesClass
} from "@rollcall/api"
import { ageColumn, column, nameColumn, type Printer, printer, wideColumn } from "./Printer.ts"

type Resources = Readonly<Record<string, Quantity>>

const modeNames = [
  ["ReadWriteOnce", "RWO"],
  ["ReadOnlyMany", "ROX"],
  ["ReadWriteMany", "RWX"],
  ["ReadWriteOncePod", "RWOP"]
] as const

const modesText = (modes: ReadonlyArray<string> | undefined): string =>
  modeNames
    .filter(([mode]) => modes?.includes(mode))
    .map(([, short]) => short)
    .join(",")

const sizeText = (resources: Resources | undefined): string => formatQuantity(resources?.storage ?? "0")

const phaseOf = (object: KubeObject, phase: string | undefined): string =>
  object.metadata.deletionTimestamp === undefined ? (phase ?? "") : "Terminating"

/** Upstream: pkg/printers/internalversion/printers.go, printPersistentVolume. */
export const persistentVolumes: Printer = printer<PersistentVolume>(
  nameColumn,
  column("Capacity", "string", "How much it holds.", ({ spec }) => sizeText(spec?.capacity)),
  column("Access Modes", "string", "How it can be mounted.", ({ spec }) => modesText(spec?.accessModes)),
  column(
    "Reclaim Policy",
    "string",
    "What becomes of it after its claim.",
    ({ spec }) => spec?.persistentVolumeReclaimPolicy ?? ""
  ),
  column("Status", "string", "Whether it is free, bound or released.", (object) =>
    phaseOf(object, object.status?.phase)
  ),
  column("Claim", "string", "The claim that it is bound to.", ({ spec }) =>
    spec?.claimRef === undefined ? "" : `${spec.claimRef.namespace ?? ""}/${spec.claimRef.name ?? ""}`
  ),
  column("StorageClass", "string", "The class that it belongs to.", (object) => storageClassNameOf(object)),
  column(
    "VolumeAttributesClass",
    "string",
    "The class of its attributes.",
    ({ spec }) => spec?.volumeAttributesClassName ?? "<unset>"
  ),
  column("Reason", "string", "Why it is in this state.", ({ status }) => status?.reason ?? ""),
  ageColumn,
  wideColumn("VolumeMode", "string", "File system or raw block.", ({ spec }) => spec?.volumeMode ?? "<unset>")
)

/** Upstream: printPersistentVolumeClaim. */
export const persistentVolumeClaims: Printer = printer<PersistentVolumeClaim>(
  nameColumn,
  column("Status", "string", "Whether the claim is bound.", (object) => phaseOf(object, object.status?.phase)),
  column("Volume", "string", "The volume that it is bound to.", ({ spec }) => spec?.volumeName ?? ""),
  column("Capacity", "string", "How much that volume holds.", ({ spec, status }) =>
    spec?.volumeName ? sizeText(status?.capacity) : ""
  ),
  column("Access Modes", "string", "How that volume can be mounted.", ({ spec, status }) =>
    spec?.volumeName ? modesText(status?.accessModes) : ""
  ),
  column("StorageClass", "string", "The class that it asks for.", (object) => storageClassNameOf(object)),
  column(
    "VolumeAttributesClass",
    "string",
    "The class of attributes that it asks for.",
    ({ spec }) => spec?.volumeAttributesClassName ?? "<unset>"
  ),
  ageColumn,
  wideColumn("VolumeMode", "string", "File system or raw block.", ({ spec }) => spec?.volumeMode ?? "<unset>")
)

/** Upstream: printStorageClass. */
export const storageClasses: Printer = printer<StorageClass>(
  {
    ...nameColumn,
    cell: (storageClass) => {
      const { name = "" } = storageClass.metadata
      return isDefaultStorageClass(storageClass) ? `${name} (default)` : name
    }
  },
  column("Provisioner", "string", "Who makes its volumes.", ({ provisioner }) => provisioner ?? ""),
  column("ReclaimPolicy", "string", "What becomes of its volumes.", ({ reclaimPolicy }) => reclaimPolicy ?? "Delete"),
  column(
    "VolumeBindingMode",
    "string",
    "When its claims are bound.",
    ({ volumeBindingMode }) => volumeBindingMode ?? "Immediate"
  ),
  column(
    "AllowVolumeExpansion",
    "string",
    "Whether its volumes can grow.",
    ({ allowVolumeExpansion }) => allowVolumeExpansion ?? false
  ),
  ageColumn
)

/** Upstream: printCSIDriver. */
export const csiDrivers: Printer = printer<CSIDriver>(
  nameColumn,
  column(
    "AttachRequired",
    "boolean",
    "Whether volumes are attached before they are mounted.",
    ({ spec }) => spec?.attachRequired ?? true
  ),
  column("PodInfoOnMount", "boolean", "Whether it is told about the pod.", ({ spec }) => spec?.podInfoOnMount ?? false),
  column(
    "StorageCapacity",
    "boolean",
    "Whether it publishes how much is left.",
    ({ spec }) => spec?.storageCapacity ?? false
  ),
  column("TokenRequests", "string", "Tokens that it asks for, by audience.", ({ spec }) =>
    spec?.tokenRequests === undefined ? "<unset>" : spec.tokenRequests.map(({ audience }) => audience ?? "").join(",")
  ),
  column(
    "RequiresRepublish",
    "boolean",
    "Whether volumes are published again and again.",
    ({ spec }) => spec?.requiresRepublish ?? false
  ),
  column(
    "Modes",
    "string",
    "The lifecycles of volumes that it serves.",
    ({ spec }) => spec?.volumeLifecycleModes?.join(",") || "<none>"
  ),
  ageColumn
)

/** Upstream: printCSINode. */
export const csiNodes: Printer = printer<CSINode>(
  nameColumn,
  column("Drivers", "integer", "How many drivers the node has.", ({ spec }) => spec?.drivers?.length ?? 0),
  ageColumn
)

/** Upstream: printVolumeAttachment. */
export const volumeAttachments: Printer = printer<VolumeAttachment>(
  nameColumn,
  column("Attacher", "string", "Who attaches the volume.", ({ spec }) => spec.attacher, "name"),
  column("PV", "string", "The volume.", ({ spec }) => spec.source?.persistentVolumeName ?? ""),
  column("Node", "string", "The node that it goes to.", ({ spec }) => spec.nodeName),
  column("Attached", "boolean", "Whether it is there.", ({ status }) => status?.attached ?? false),
  ageColumn
)

/** Upstream: printVolumeAttributesClass. */
export const volumeAttributesClasses: Printer = printer<VolumeAttributesClass>(
  nameColumn,
  column("DriverName", "string", "The driver that knows its parameters.", ({ driverName }) => driverName),
  ageColumn
)
