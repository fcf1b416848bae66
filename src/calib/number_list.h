/* SPDX-License-Identifier: BSD-3-Clause */
/* Lists of numbers as Linux writes them: 0-3,8. */
#ifndef BERTH_CALIB_NUMBER_LIST_H
#define BERTH_CALIB_NUMBER_LIST_H

/* How many numbers a list has; with number >= 0 how often that one is in it. It ends at what isn't
 * a number. */
int number_list_count(const char *list, int number);

#endif
