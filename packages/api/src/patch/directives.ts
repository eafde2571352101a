/** The member names of strategic patch directives. Upstream: apimachinery/pkg/util/strategicpatch/patch.go. */
export const directive = "$patch"
export const retainKeys = "$retainKeys"
/** `$setElementOrder/<list>` */
export const setElementOrder = "$setElementOrder"
/** `$deleteFromPrimitiveList/<list>` */
export const deleteFromPrimitiveList = "$deleteFromPrimitiveList"
