/* SPDX-License-Identifier: BSD-3-Clause */
/* Makes the secret of a run. */
#include "base/secret.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/random.h>

int secret_make(char secret[SECRET_LENGTH + 1], berth_error_t *err)
{
  unsigned char bytes[SECRET_LENGTH / 2];
  if (getrandom(bytes, sizeof bytes, 0) != sizeof bytes)
    return berth_fail(err, BERTH_MISSING, "cannot get random numbers: %s", strerror(errno));
  for (size_t i = 0; i < sizeof bytes; i++) snprintf(secret + 2 * i, 3, "%02x", bytes[i]);
  return BERTH_OK;
}
