/** The member names by which a strategic patch says what to do. Upstream: apimachinery/pkg/util/strategicpatch/patch.go. */
export const directive = "$patch"
export const retainKeys = "$retainKeys"
/** `$setElementOrder/<list>` */
export const setElementOrder = "$setElementOrder"
/** `$deleteFromPrimitiveList/<list>` */
export const deleteFromPrimitiveList = "$deleteFromPrimitiveList"
