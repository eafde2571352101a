import type { StorageClass } from "@rollcall/api"

/** The CSI drivers that replaced in-tree volume plugins. Upstream: staging/src/k8s.io/csi-translation-lib/plugins. */
const successors: ReadonlyMap<string, string> = new Map(
  Object.entries({
    "kubernetes.io/aws-ebs": "ebs.csi.aws.com",
    "kubernetes.io/gce-pd": "pd.csi.storage.gke.io",
    "kubernetes.io/azure-disk": "disk.csi.azure.com",
    "kubernetes.io/azure-file": "file.csi.azure.com",
    "kubernetes.io/cinder": "cinder.csi.openstack.org",
    "kubernetes.io/vsphere-volume": "csi.vsphere.vmware.com",
    "kubernetes.io/portworx-volume": "pxd.portworx.com"
  })
)

/** The CSI driver that replaced an in-tree plugin. */
export const successorOf = (plugin: string): string | undefined => successors.get(plugin)

const isBuiltIn = (name: string): boolean => name.startsWith("kubernetes.io/")

/** The provisioner of a class: for an in-tree plugin its CSI driver, undefined if it has none. */
export const provisionerOf = ({ provisioner }: StorageClass): string | undefined =>
  successors.get(provisioner) ?? (isBuiltIn(provisioner) ? undefined : provisioner)

/** Whether an external provisioner deletes the volumes that this provisioner made. */
export const isDeletedExternally = (provisioner: string | undefined): boolean =>
  provisioner !== undefined && (successors.has(provisioner) || !isBuiltIn(provisioner))
