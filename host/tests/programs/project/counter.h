void counter_add(int amount);
int counter_value(void);
