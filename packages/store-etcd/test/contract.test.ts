import { storeContract } from "@rollcall/store/testing"
import { inEtcd } from "./inEtcd.ts"

inEtcd("a real etcd", ({ layerOwnKeys }) => {
  storeContract("etcd", layerOwnKeys({ isOrdered: true }), { runs: 15, sharesRevisions: true })
})
