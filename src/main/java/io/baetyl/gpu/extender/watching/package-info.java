/** Moves the picture by what the API server says, and tells whether it still does. */
package io.baetyl.gpu.extender.watching;
