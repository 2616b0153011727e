/* Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0 */
/* The shim's program, inside the agent. */
    .section .rodata
    .global drover_shim_image
    .hidden drover_shim_image
    .global drover_shim_image_end
    .hidden drover_shim_image_end
    .balign 16
drover_shim_image:
    .incbin DROVER_SHIM_FILE
drover_shim_image_end:
    .section .note.GNU-stack, "", %progbits
